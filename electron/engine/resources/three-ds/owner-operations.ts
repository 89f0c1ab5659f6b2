import { type Filter, matchesFilter } from '../../../../shared/conditions.ts'
import { CofferError } from '../../../../shared/errors.ts'
import { filteredQuery, ownerPage } from '../../../../shared/schemas/common.ts'
import {
  challengeDecisions,
  type OwnerThreeDsSession,
  ownerThreeDsSession,
  type ThreeDsField,
  type ThreeDsState,
  threeDsFields,
} from '../../../../shared/schemas/three-ds.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import { z } from '../../../../shared/zod.ts'
import type { Context } from '../../pipeline/context.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { byId, readFilteredPage } from '../crud.ts'
import { requireThreeDs } from './authenticate.ts'
import { findLast4 } from './card.ts'
import { openContent } from './content.ts'
import { decideChallenge } from './decide-challenge.ts'
import { type OpenedThreeDsSession, toPage } from './present.ts'
import { computeOutcome, isGood, isWaiting } from './status.ts'
import { countThreeDs, listThreeDs } from './store.ts'

export const list = defineOperation({
  summary: 'List the 3D Secure sessions that have not expired, newest first',
  entity: 'three_ds_session',
  input: filteredQuery(threeDsFields),
  output: ownerPage(ownerThreeDsSession),
  handler(context, { where = [], q = '', ...page }) {
    const { db, now } = context
    const shown = readFilteredPage(
      context,
      page,
      JSON.stringify(['3d-secure-sessions', where, q]),
      (limit, before) => listThreeDs(db, now, limit, before),
      (row) => {
        const session = toOwnerSession(context, { row, content: openContent(context, row) })
        return matchesThreeDs({ conditions: where, words: q }, session) ? session : null
      },
    )
    return { ...shown, total: countThreeDs(db, now) }
  },
})

function matchesThreeDs(filter: Filter<ThreeDsField>, session: OwnerThreeDsSession): boolean {
  const { id, state, created_by, card_brand, last4, merchant, token_id } = session
  const values = {
    state: [state],
    app: [created_by ?? 'owner'],
    card: [card_brand, last4],
    merchant: [merchant],
    id: [id, token_id],
  }
  const texts = [id, card_brand, last4, merchant, token_id].filter((each) => each !== undefined)
  return matchesFilter(filter, (field) => values[field], texts)
}

export const describe = defineOperation({
  summary: 'Describe a 3D Secure session to the owner',
  entity: 'three_ds_session',
  input: byId,
  output: ownerThreeDsSession,
  handler: (context, { id }) => toOwnerSession(context, requireThreeDs(context, id)),
})

export const decide = defineOperation({
  summary: 'Decide a waiting challenge in place of the cardholder, or end the time of a decoupled one',
  entity: 'three_ds_session',
  effect: 'write',
  input: byId.extend({ decision: z.enum(challengeDecisions) }),
  output: ownerThreeDsSession,
  handler(context, { id, decision }) {
    const opened = requireThreeDs(context, id)
    if (getState(context, opened) !== 'waiting')
      throw new CofferError(
        'conflict',
        'No challenge of this session is waiting. Only the first answer counts.',
      )
    return toOwnerSession(context, decideChallenge(context, opened, decision))
  },
})

function getState({ now }: Context, { content }: OpenedThreeDsSession): ThreeDsState {
  const { authenticated } = content
  if (!authenticated) return 'new'
  const outcome = computeOutcome(content, authenticated, now)
  if (isWaiting(outcome)) return 'waiting'
  return isGood(outcome.status) ? 'passed' : 'refused'
}

function toOwnerSession(context: Context, opened: OpenedThreeDsSession): OwnerThreeDsSession {
  const { row, content } = opened
  const { token_id, token_intent_id, device, metadata } = content
  const { card_brand, merchant, purchase } = toPage(context, opened)
  const last4 = findLast4(context, content)
  return {
    id: row.id,
    state: getState(context, opened),
    type: content.type,
    card_brand,
    ...(last4 !== undefined && { last4 }),
    ...(token_id !== null && { token_id }),
    ...(token_intent_id !== null && { token_intent_id }),
    ...(device && { device }),
    ...(merchant !== null && { merchant }),
    ...(purchase && { purchase }),
    ...toOutcome(context, opened),
    ...(row.created_by !== null && { created_by: row.created_by }),
    created_at: formatIsoTime(row.created_at),
    ...(row.modified_at !== null && { modified_at: formatIsoTime(row.modified_at) }),
    expires_at: formatIsoTime(row.expires_at),
    ...(metadata && { metadata }),
  }
}

/** The result of an authenticated session, and how its challenge came to it. */
function toOutcome(context: Context, opened: OpenedThreeDsSession) {
  const { authenticated } = opened.content
  if (!authenticated) return {}
  const { status, directory, reason } = computeOutcome(opened.content, authenticated, context.now)
  const { challenge_type, passes_as } = toPage(context, opened)
  const { at, choice, decoupled } = authenticated
  return {
    status,
    directory_status: directory,
    ...(reason && { reason: reason[0] }),
    ...(challenge_type && { challenge_type }),
    ...(passes_as && { passes_as }),
    ...(choice && { choice }),
    ...(decoupled.until && { answer_until: formatIsoTime(decoupled.until) }),
    authenticated_at: formatIsoTime(at),
  }
}
