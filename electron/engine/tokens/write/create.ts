import { CofferError, type FieldErrors, invalid } from '../../../../shared/errors.ts'
import type { Json } from '../../../../shared/json.ts'
import type { CreatedToken, NewToken } from '../../../../shared/schemas/token.ts'
import type { Context } from '../../door/context.ts'
import { dataOf } from '../../door/encrypted.ts'
import { openIntentData } from '../intents/present.ts'
import { deleteTokenIntent, findTokenIntent } from '../intents/store.ts'
import { toTokenWith } from '../read/present.ts'
import { createdToken, updatedToken } from '../read/told.ts'
import { insertToken } from '../store.ts'
import { hasCvc, withoutCvc } from '../types/cvc.ts'
import { keptData, requireType } from '../types/types.ts'
import { duplicateOf, isDeduplicated } from './duplicate.ts'
import { newTokenRow } from './new-row.ts'
import { type KeptToken, keptToken, showDuplicate } from './replay.ts'
import { updateDuplicate } from './update-duplicate.ts'

/** A token that was created or found, and what a repeated request needs to show it (rule A-12). */
export type Made = { readonly token: CreatedToken; readonly kept: KeptToken }

/**
 * Creates a token, or finds the one it duplicates and may change it (rules T-01 to T-10, O-03). Throws `invalid`,
 * `forbidden`, and `conflict` if the id is taken; the door then undoes what was written.
 */
export function createToken(context: Context, input: NewToken): Made {
  const content = contentOf(context, input)
  const { row, containers } = newTokenRow(context, { ...input, ...content })
  const { token_intent_id } = input
  const asked = { id: row.id, containers }
  const grant = context.require('token:create', asked, 'all')
  const existing = isDeduplicated(context.settings, input.deduplicate_token) && duplicateOf(context, row)
  if (existing) {
    const updated = updateDuplicate(context, existing, { ...input, ...content })
    if (updated) {
      context.about(updated.id, 'updated')
      context.tell('token.updated', () => updatedToken(updated))
    }
    const found = updated ?? existing
    const token = showDuplicate(context, found)
    return { token, kept: { ...keptToken(found), asked } }
  }
  insertToken(context, row)
  context.tell('token.created', () => createdToken(row))
  if (token_intent_id !== undefined) {
    context.about(row.id, 'from a token intent')
    const { id, type } = row
    context.tell('token-intent.converted', () => ({
      token_intent: { id: token_intent_id.toLowerCase(), type },
      token: { id, type },
    }))
  }
  const shown = toTokenWith(context, row, content.data, grant.transform)
  return { token: { ...shown, _extras: { deduplicated: false } }, kept: keptToken(row) }
}

/** Returns the type and data of a new token: as given, or from a token intent (rule T-01). Throws `invalid`. */
export function contentOf(context: Context, input: NewToken): { type: string; data: Json } {
  const { type, token_intent_id } = input
  const data = dataOf(context, input)
  if (token_intent_id === undefined) {
    if (type !== undefined && data !== undefined) return { type, data: keptData(type, data) }
    const errors: FieldErrors = {
      ...(type === undefined && { type: ['is required, together with data'] }),
      ...(data === undefined && { data: ['is required, together with type'] }),
    }
    throw new CofferError('invalid', 'A token needs type and data, or token_intent_id.', { errors })
  }
  if (type !== undefined || data !== undefined) {
    throw invalid('token_intent_id', 'takes the place of type and data; give one or the other')
  }
  return consume(context, token_intent_id)
}

/** Takes the content of a token intent, without a cvc, and deletes the intent (rule O-03). */
function consume(context: Context, id: string): { type: string; data: Json } {
  const { db, now } = context
  const intent = findTokenIntent(db, id, now)
  if (!intent) {
    throw invalid('token_intent_id', 'is not a token intent, or one that has expired or was converted')
  }
  deleteTokenIntent(db, id)
  const data = openIntentData(context, intent)
  const type = requireType(intent.type)
  return { type, data: keptData(type, hasCvc(type, data) ? withoutCvc(data) : data) }
}
