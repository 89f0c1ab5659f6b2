import { CofferError } from '../../shared/errors.ts'
import type { SyntaxProblem } from '../../shared/schemas/reactor.ts'
import type { CodeRun, RunResult } from './run.ts'

/** The time limit for compiling, because compiling deeply nested scopes takes quadratic time. */
const COMPILE_TIMEOUT_MS = 5000

/**
 * Compiles code in a separate process, without running it (rule F-01). Returns the position and reason of its first
 * syntax error, or null; lines and columns start at 1. Throws `unavailable` if no process could compile it.
 */
export async function findSyntaxProblem(
  pool: { run(run: CodeRun): Promise<RunResult> },
  code: string,
): Promise<SyntaxProblem | null> {
  const { ended } = await pool.run({
    owner: null,
    caller: null,
    code,
    contract: { image: 'node-bt', role: 'reactor' },
    args: null,
    configuration: {},
    application: null,
    limit_ms: COMPILE_TIMEOUT_MS,
  })
  if (ended.kind === 'thrown' && ended.uncompiled !== undefined && ended.at)
    return { ...ended.at, message: ended.uncompiled }
  if (ended.kind === 'returned') return null
  const isLong = ended.kind === 'failed' && ['time', 'memory'].includes(ended.reason)
  if (isLong)
    return {
      line: 1,
      column: 1,
      message: 'Compiling the code takes more than 5 seconds or 256 MiB of memory.',
    }
  throw new CofferError(
    'unavailable',
    'The code could not be checked, because no process could compile it. Try again.',
  )
}
