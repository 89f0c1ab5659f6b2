import { CofferError } from '../../shared/errors.ts'
import type { SyntaxProblem } from '../../shared/schemas/reactor.ts'
import type { CodeRun, RunResult } from './run.ts'

/** How long the compiler may take: for scopes nested in scopes, it is quadratic. */
const COMPILE_TIMEOUT_MS = 5000

/**
 * Compiles code without running it, in a process that runs code (rule F-01): where and why it is no JavaScript, or null.
 * Lines and columns count from 1. Throws `unavailable` where no process could say.
 */
export async function findSyntaxProblem(
  pool: { run(run: CodeRun): Promise<RunResult> },
  code: string,
): Promise<SyntaxProblem | null> {
  const { ended } = await pool.run({
    owner: null,
    caller: null,
    code,
    args: null,
    configuration: {},
    application: null,
    limit_ms: COMPILE_TIMEOUT_MS,
  })
  if (ended.kind === 'thrown' && ended.uncompiled !== undefined && ended.at)
    return { ...ended.at, message: ended.uncompiled }
  if (ended.kind === 'returned') return null
  const isLong = ended.kind === 'failed' && ['time', 'memory'].includes(ended.reason)
  if (isLong) return { line: 1, column: 1, message: 'The code takes too long to compile.' }
  throw new CofferError('unavailable', 'No process could compile the code.')
}
