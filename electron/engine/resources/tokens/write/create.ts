import { CofferError, createInvalidError, type FieldErrors } from '../../../../../shared/errors.ts'
import type { Json } from '../../../../../shared/json.ts'
import type { CreatedToken, NewToken } from '../../../../../shared/schemas/token.ts'
import type { Context } from '../../../pipeline/context.ts'
import { resolveData } from '../../../pipeline/encrypted.ts'
import { openIntentData } from '../intents/present.ts'
import { deleteTokenIntent, findTokenIntent } from '../intents/store.ts'
import { toTokenWith } from '../read/present.ts'
import { toTokenCreatedEvent, toTokenUpdatedEvent } from '../read/token-events.ts'
import { insertToken } from '../store.ts'
import { hasCvc, removeCvc } from '../types/cvc.ts'
import { requireType, toStoredData } from '../types/types.ts'
import { findDuplicate, isDeduplicated } from './duplicate.ts'
import { newTokenRow } from './new-row.ts'
import { presentDuplicate, type TokenReplay, toTokenReplay } from './replay.ts'
import { updateDuplicate } from './update-duplicate.ts'

/** A token that was created or that already existed as a duplicate, with its replay data (rule A-12). */
export type CreatedOrFoundToken = { readonly token: CreatedToken; readonly replayData: TokenReplay }

/**
 * Creates a token. If the token is a duplicate, returns the existing token instead, updated if the tenant's settings
 * and the caller's permissions allow it (rules T-01 to T-10, O-03). Throws `invalid`, `forbidden`, and `conflict` if
 * the id is taken; the pipeline then rolls back.
 */
export function createToken(context: Context, input: NewToken): CreatedOrFoundToken {
  const content = resolveContent(context, input)
  const { row, containers } = newTokenRow(context, { ...input, ...content })
  const { token_intent_id } = input
  const subject = { id: row.id, containers }
  const grant = context.requireAccess('token:create', subject, 'all')
  const existing = isDeduplicated(context.settings, input.deduplicate_token) && findDuplicate(context, row)
  if (existing) {
    const updated = updateDuplicate(context, existing, { ...input, ...content })
    if (updated) {
      context.setRecordEntity(updated.id, 'updated')
      context.queueEvent('token.updated', () => toTokenUpdatedEvent(updated))
    }
    const duplicate = updated ?? existing
    const token = presentDuplicate(context, duplicate)
    return { token, replayData: { ...toTokenReplay(duplicate), asked: subject } }
  }
  insertToken(context, row)
  context.queueEvent('token.created', () => toTokenCreatedEvent(row))
  if (token_intent_id !== undefined) {
    context.setRecordEntity(row.id, 'from a token intent')
    const { id, type } = row
    context.queueEvent('token-intent.converted', () => ({
      token_intent: { id: token_intent_id.toLowerCase(), type },
      token: { id, type },
    }))
  }
  const presented = toTokenWith(context, row, content.data, grant.transform)
  return { token: { ...presented, _extras: { deduplicated: false } }, replayData: toTokenReplay(row) }
}

/** Returns the type and data of a new token: from the request, or from a token intent (rule T-01). Throws `invalid`. */
export function resolveContent(context: Context, input: NewToken): { type: string; data: Json } {
  const { type, token_intent_id } = input
  const data = resolveData(context, input)
  if (token_intent_id === undefined) {
    if (type !== undefined && data !== undefined) return { type, data: toStoredData(type, data) }
    const errors: FieldErrors = {
      ...(type === undefined && { type: ['is required, together with data'] }),
      ...(data === undefined && { data: ['is required, together with type'] }),
    }
    throw new CofferError('invalid', 'A token needs type and data, or token_intent_id.', { errors })
  }
  if (type !== undefined || data !== undefined) {
    throw createInvalidError('token_intent_id', 'replaces type and data; send one or the other')
  }
  return consumeIntent(context, token_intent_id)
}

/** Deletes a token intent, and returns its content without a cvc (rule O-03). */
function consumeIntent(context: Context, id: string): { type: string; data: Json } {
  const { db, now } = context
  const intent = findTokenIntent(db, id, now)
  if (!intent) {
    throw createInvalidError(
      'token_intent_id',
      'is unknown: the token intent does not exist, has expired or has been converted',
    )
  }
  deleteTokenIntent(db, id)
  const data = openIntentData(context, intent)
  const type = requireType(intent.type)
  return { type, data: toStoredData(type, hasCvc(type, data) ? removeCvc(data) : data) }
}
