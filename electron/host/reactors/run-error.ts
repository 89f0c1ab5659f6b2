import { CofferError } from '../../../shared/errors.ts'
import type { RunOutcome, SourceLocation } from '../../code-runner/run.ts'
import { createThrownError } from '../../engine/index.ts'

type FailedRun = Extract<RunOutcome, { kind: 'thrown' | 'failed' }>

/** Returns the error that a run ended with (rules F-02, F-04). */
export function toRunError(ended: FailedRun): CofferError {
  if (ended.kind === 'thrown') return createThrownError(ended.status, ended.detail, ended.errors)
  const { reason, detail } = ended
  if (reason === 'cancelled') return new CofferError('cancelled', detail)
  if (reason === 'busy') return new CofferError('rate_limited', detail, { retry_after: 1 })
  if (reason === 'start') return new CofferError('unavailable', detail)
  return createThrownError(500, 'Reactor Runtime Error', [detail])
}

/** Returns the log note for code that cannot be compiled (rule F-01). */
export function describeUncompiled({ line, column }: SourceLocation, member = 'code'): string {
  return `${member} cannot be compiled: line ${line}, column ${column}`
}

/** Returns the log note for the end of a run. SECURITY: it holds nothing from the code's own output. */
export function describeRunEnd(ended: RunOutcome): string {
  if (ended.kind === 'returned') return 'the code returned'
  if (ended.kind === 'response') return 'the code sent its own response'
  if (ended.kind === 'failed') return `the run ended: ${ended.reason}`
  return ended.uncompiled !== undefined && ended.at ? describeUncompiled(ended.at) : 'the code threw an error'
}
