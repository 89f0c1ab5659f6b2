import { CofferError, createInvalidError } from '../../../../shared/errors.ts'
import { createdId } from '../../../../shared/schemas/common.ts'
import { challengeChoices, deviceInfo, threeDsPage } from '../../../../shared/schemas/three-ds.ts'
import { z } from '../../../../shared/zod.ts'
import type { Context } from '../../pipeline/context.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import {
  authenticateThreeDs,
  createMissingSessionError,
  requireThreeDs,
  storeContent,
} from './authenticate.ts'
import { openContent } from './content.ts'
import { decideChallenge } from './decide-challenge.ts'
import { hasMethod, type OpenedThreeDsSession, stripQuery, toPage } from './present.ts'
import { computeOutcome } from './status.ts'
import { findChallenge } from './store.ts'
import { toShortSessionEventData } from './three-ds-events.ts'

const one = z.strictObject({ id: createdId })
const pageOperation = { permission: 'cardholder', entity: 'three_ds_session' } as const

export const completeMethod = defineOperation({
  ...pageOperation,
  summary: 'Record that the issuer has checked the browser',
  effect: 'write',
  input: one,
  output: threeDsPage,
  handler(context, { id }) {
    const opened = requireThreeDs(context, id)
    const { row, content } = opened
    if (!hasMethod(content)) throw createInvalidError('id', 'names a session without a 3DS method')
    if (content.method_completed || content.authenticated) return toPage(context, opened)
    const updated = storeContent(context, row, { ...content, method_completed: true })
    context.queueEvent('3ds.session.method-completed', () => ({
      session: toShortSessionEventData(context, updated),
    }))
    return toPage(context, updated)
  },
})

export const showChallenge = defineOperation({
  ...pageOperation,
  summary: 'Show the challenge of a 3D Secure session to its cardholder',
  input: z.strictObject({ acs_transaction_id: createdId }),
  output: threeDsPage,
  handler(context, { acs_transaction_id }) {
    return toPage(context, requireChallenge(context, acs_transaction_id))
  },
})

export const answerChallenge = defineOperation({
  ...pageOperation,
  summary: 'Answer the challenge of a 3D Secure session; only the first answer counts',
  effect: 'write',
  input: z.strictObject({ acs_transaction_id: createdId, choice: z.enum(challengeChoices) }),
  output: threeDsPage,
  handler(context, { acs_transaction_id, choice }) {
    return toPage(context, decideChallenge(context, requireChallenge(context, acs_transaction_id), choice))
  },
})

export const showRedirect = defineOperation({
  ...pageOperation,
  summary: 'Show the redirect page of a 3D Secure session',
  input: one,
  output: threeDsPage,
  handler(context, { id }) {
    return toPage(context, requireRedirect(context, id))
  },
})

export const authenticateRedirect = defineOperation({
  ...pageOperation,
  summary: 'Authenticate a 3D Secure session from its redirect page',
  effect: 'write',
  input: z.strictObject({ id: createdId, device_info: deviceInfo }),
  output: threeDsPage,
  handler(context, { id, device_info }) {
    const opened = requireRedirect(context, id)
    const { row, content } = opened
    if (!content.request) return toPage(context, opened)
    const withMethod = hasMethod(content) ? { ...content, method_completed: true } : content
    try {
      return toPage(
        context,
        authenticateThreeDs(context, { row, content: withMethod }, content.request, device_info),
      )
    } catch (error) {
      if (!(error instanceof CofferError) || error.code !== 'three_ds_failed' || !content.redirect)
        throw error
      return { ...toPage(context, opened), returns_to: stripQuery(content.redirect.failure) }
    }
  },
})

/** Returns a session by the id of its challenge. Throws `not_found` if there is none. */
function requireChallenge(context: Context, acs_transaction_id: string): OpenedThreeDsSession {
  const row = findChallenge(context.db, acs_transaction_id, context.now)
  if (!row) throw createMissingSessionError()
  context.setRecordEntity(row.id)
  const content = openContent(context, row)
  const { authenticated } = content
  if (!authenticated || computeOutcome(content, authenticated, context.now).challenge === null)
    throw createMissingSessionError()
  return { row, content }
}

function requireRedirect(context: Context, id: string): OpenedThreeDsSession {
  const opened = requireThreeDs(context, id)
  if (!opened.content.redirect) throw createMissingSessionError()
  return opened
}
