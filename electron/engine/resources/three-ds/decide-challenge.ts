import { createInvalidError } from '../../../../shared/errors.ts'
import type { ChallengeDecision } from '../../../../shared/schemas/three-ds.ts'
import type { Context } from '../../pipeline/context.ts'
import { createMissingSessionError, storeContent } from './authenticate.ts'
import type { OpenedThreeDsSession } from './present.ts'
import { computeOutcome, isWaiting } from './status.ts'
import { toShortSessionEventData } from './three-ds-events.ts'

/**
 * Stores how a challenge ends, and sends its events to webhooks; a challenge that has ended stays as it is (rule S-01).
 * The time of a decoupled challenge ends without events, as it does by itself. Throws `invalid` for the end of the time
 * of any other challenge, because nothing limits that, and `not_found` without an authentication.
 */
export function decideChallenge(
  context: Context,
  opened: OpenedThreeDsSession,
  decision: ChallengeDecision,
): OpenedThreeDsSession {
  const { row, content } = opened
  const { authenticated } = content
  if (!authenticated) throw createMissingSessionError()
  const before = computeOutcome(content, authenticated, context.now)
  if (!isWaiting(before)) return opened
  if (decision === 'timeout') {
    if (before.challenge !== 'decoupled')
      throw createInvalidError('decision', 'is only possible for a decoupled challenge')
    const decoupled = { ...authenticated.decoupled, until: context.now }
    return storeContent(context, row, { ...content, authenticated: { ...authenticated, decoupled } })
  }
  const answered = { ...authenticated, choice: decision }
  const updated = storeContent(context, row, { ...content, authenticated: answered })
  const { status } = computeOutcome(updated.content, answered, context.now)
  if (before.challenge === 'decoupled')
    context.queueEvent('3ds.session.decoupled-challenge-notification', () => ({
      session: toShortSessionEventData(context, updated),
    }))
  context.queueEvent('3ds.session.challenge-completed', () => ({
    session: {
      ...toShortSessionEventData(context, updated),
      authentication_status: status === 'successful' ? 'successful' : 'failed',
    },
  }))
  return updated
}
