import { CofferError, invalid } from '../../../shared/errors.ts'
import { madeId } from '../../../shared/schemas/common.ts'
import { challengeChoices, deviceInfo, threeDsPage } from '../../../shared/schemas/three-ds.ts'
import { z } from '../../../shared/zod.ts'
import type { Context } from '../door/context.ts'
import { operation } from '../door/operation.ts'
import { authenticate, keepContent, noSession, requireThreeDs } from './authenticate.ts'
import { openContent } from './content.ts'
import { hasMethod, type Opened, toPage, withoutQuery } from './present.ts'
import { isWaiting, outcomeOf } from './status.ts'
import { findChallenge } from './store.ts'
import { toldShort } from './told.ts'

const one = z.strictObject({ id: madeId })
const about = { route: null, permission: 'cardholder', entity: 'three_ds_session', status: 200 } as const

export const completeMethod = operation({
  ...about,
  summary: 'Note that the issuer has seen the browser',
  effect: 'write',
  input: one,
  output: threeDsPage,
  handler(context, { id }) {
    const opened = requireThreeDs(context, id)
    const { row, content } = opened
    if (!hasMethod(content)) throw invalid('id', 'names a session without a method')
    if (content.method_completed || content.authenticated) return toPage(context, opened)
    const kept = keepContent(context, row, { ...content, method_completed: true })
    context.tell('3ds.session.method-completed', () => ({ session: toldShort(context, kept) }))
    return toPage(context, kept)
  },
})

export const showChallenge = operation({
  ...about,
  summary: 'Show the challenge of a 3D Secure session to its cardholder',
  effect: 'read',
  input: z.strictObject({ acs_transaction_id: madeId }),
  output: threeDsPage,
  handler(context, { acs_transaction_id }) {
    return toPage(context, requireChallenge(context, acs_transaction_id))
  },
})

export const answerChallenge = operation({
  ...about,
  summary: 'Answer the challenge of a 3D Secure session; only the first answer counts',
  effect: 'write',
  input: z.strictObject({ acs_transaction_id: madeId, choice: z.enum(challengeChoices) }),
  output: threeDsPage,
  handler(context, { acs_transaction_id, choice }) {
    const opened = requireChallenge(context, acs_transaction_id)
    const { row, content } = opened
    const { authenticated } = content
    if (!authenticated) throw noSession()
    const before = outcomeOf(content, authenticated, context.now)
    if (!isWaiting(before)) return toPage(context, opened)
    const kept = keepContent(context, row, { ...content, authenticated: { ...authenticated, choice } })
    const { status } = outcomeOf(kept.content, { ...authenticated, choice }, context.now)
    if (before.challenge === 'decoupled')
      context.tell('3ds.session.decoupled-challenge-notification', () => ({
        session: toldShort(context, kept),
      }))
    context.tell('3ds.session.challenge-completed', () => ({
      session: {
        ...toldShort(context, kept),
        authentication_status: status === 'successful' ? 'successful' : 'failed',
      },
    }))
    return toPage(context, kept)
  },
})

export const showRedirect = operation({
  ...about,
  summary: 'Show the page of a redirect',
  effect: 'read',
  input: one,
  output: threeDsPage,
  handler(context, { id }) {
    return toPage(context, requireRedirect(context, id))
  },
})

export const authenticateRedirect = operation({
  ...about,
  summary: 'Authenticate a 3D Secure session that was created with everything it takes',
  effect: 'write',
  input: z.strictObject({ id: madeId, device_info: deviceInfo }),
  output: threeDsPage,
  handler(context, { id, device_info }) {
    const opened = requireRedirect(context, id)
    const { row, content } = opened
    if (!content.request) return toPage(context, opened)
    const seen = hasMethod(content) ? { ...content, method_completed: true } : content
    try {
      return toPage(context, authenticate(context, { row, content: seen }, content.request, device_info))
    } catch (error) {
      if (!(error instanceof CofferError) || error.code !== 'three_ds_failed' || !content.redirect)
        throw error
      return { ...toPage(context, opened), returns_to: withoutQuery(content.redirect.failure) }
    }
  },
})

/** Returns a session by the id of its challenge. Throws `not_found` if it has none. */
function requireChallenge(context: Context, acs_transaction_id: string): Opened {
  const row = findChallenge(context.db, acs_transaction_id, context.now)
  if (!row) throw noSession()
  context.about(row.id)
  const content = openContent(context, row)
  const { authenticated } = content
  if (!authenticated || outcomeOf(content, authenticated, context.now).challenge === null) throw noSession()
  return { row, content }
}

function requireRedirect(context: Context, id: string): Opened {
  const opened = requireThreeDs(context, id)
  if (!opened.content.redirect) throw noSession()
  return opened
}
