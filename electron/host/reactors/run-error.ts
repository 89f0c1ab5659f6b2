import { CofferError } from '../../../shared/errors.ts'
import type { RunOutcome, SourceLocation } from '../../code-runner/run.ts'
import { createThrownError } from '../../engine/reactors/run-response.ts'

/** How a run ends that gave no answer. */
type FailedRun = Extract<RunOutcome, { kind: 'thrown' | 'failed' }>

/** The error that a run ended with (rules F-02, F-04). */
export function toRunError(ended: FailedRun): CofferError {
  if (ended.kind === 'thrown') return createThrownError(ended.status, ended.detail, ended.errors)
  const { reason, detail } = ended
  if (reason === 'cancelled') return new CofferError('cancelled', detail)
  if (reason === 'busy') return new CofferError('rate_limited', detail, { retry_after: 1 })
  if (reason === 'start') return new CofferError('unavailable', detail)
  return createThrownError(500, 'Reactor Runtime Error', [detail])
}

/** What the log says of code that cannot be compiled (rule F-01). */
export function describeUncompiled({ line, column }: SourceLocation, member = 'code'): string {
  return `${member} cannot be compiled: line ${line}, column ${column}`
}

/** What the record of a run says. SECURITY: nothing that the code said. */
export function describeRunEnd(ended: RunOutcome): string {
  if (ended.kind === 'returned') return 'the code returned'
  if (ended.kind === 'response') return 'the code answered by itself'
  if (ended.kind === 'failed') return `the run ended: ${ended.reason}`
  return ended.uncompiled !== undefined && ended.at ? describeUncompiled(ended.at) : 'the code threw an error'
}
