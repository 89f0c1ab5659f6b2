import type { SyntaxProblem } from '../../../shared/schemas/reactor.ts'
import { host } from '../connection/vault.ts'

/** What is wrong with code, as the process says that would run it; null if it compiles. Rejects where that is not known. */
export async function checkCode(code: string): Promise<SyntaxProblem | null> {
  return (await host.host.checkCode({ code })).problem
}
