import { CofferError } from '../../../shared/errors.ts'
import { thrown } from '../../engine/reactors/answer.ts'
import type { Ended } from '../../reactors/run.ts'

/** The error that a run ended with (rules F-02, F-04); null if it gave an answer. */
export function failureOf(ended: Ended): CofferError | null {
  if (ended.kind === 'thrown') return thrown(ended.status, ended.detail, ended.errors)
  if (ended.kind !== 'failed') return null
  const { reason, detail } = ended
  if (reason === 'cancelled') return new CofferError('cancelled', detail)
  if (reason === 'busy') return new CofferError('rate_limited', detail, { retry_after: 1 })
  if (reason === 'start') return new CofferError('unavailable', detail)
  return thrown(500, 'Reactor Runtime Error', [detail])
}

/** What the record of a run says. SECURITY: nothing that the code said. */
export function noteOf(ended: Ended): string {
  if (ended.kind === 'returned') return 'the code returned'
  if (ended.kind === 'response') return 'the code answered by itself'
  return ended.kind === 'thrown' ? 'the code threw an error' : `the run ended: ${ended.reason}`
}
