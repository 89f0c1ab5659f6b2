import type { SyntaxProblem } from '../../../shared/schemas/reactor.ts'
import { host } from '../connection/vault.ts'

/**
 * Compiles code in the process that would run it. Returns its syntax error, or null if it compiles. Rejects
 * if it could not be checked.
 */
export async function checkCode(code: string): Promise<SyntaxProblem | null> {
  return (await host.checkCode({ code })).problem
}
