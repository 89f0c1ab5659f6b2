import { CofferError, type FieldErrors, invalid } from '../../../../shared/errors.ts'
import type { Json } from '../../../../shared/json.ts'
import type { CreatedToken, NewToken } from '../../../../shared/schemas/token.ts'
import type { Context } from '../../door/context.ts'
import { openIntentData } from '../intents/present.ts'
import { deleteTokenIntent, findTokenIntent } from '../intents/store.ts'
import { toReference, toTokenWith } from '../read/present.ts'
import { insertToken } from '../store.ts'
import { hasCvc, withoutCvc } from '../types/cvc.ts'
import { keptData, requireType } from '../types/types.ts'
import { duplicateOf, isDeduplicated } from './duplicate.ts'
import { newTokenRow } from './new-row.ts'
import { type KeptToken, keptToken, showDuplicate } from './replay.ts'

/** A token that was made or found, and what shows it again (rule A-12). */
export type Made = { readonly token: CreatedToken; readonly kept: KeptToken }

/**
 * Makes a token, or finds the one it duplicates (rules T-01 to T-10, O-03). Throws 400, 403, and 409 for an id
 * that is taken; what it has written by then is undone with the operation that called it.
 */
export function createToken(context: Context, input: NewToken): Made {
  const content = contentOf(context, input)
  const { row, containers } = newTokenRow(context, { ...input, ...content })
  const asked = { id: row.id, containers }
  const grant = context.require('token:create', asked, 'all')
  const existing = isDeduplicated(context.settings, input.deduplicate_token) && duplicateOf(context, row)
  if (existing) {
    const token = showDuplicate(context, existing, toReference)
    return { token, kept: { ...keptToken(existing), asked } }
  }
  insertToken(context.db, row)
  if (input.token_intent_id !== undefined) context.about(row.id, 'from a token intent')
  const shown = toTokenWith(context, row, content.data, grant.transform)
  return { token: { ...shown, _extras: { deduplicated: false } }, kept: keptToken(row) }
}

/** The type and data a token is asked for with: given, or those of a token intent (rule T-01). */
export function contentOf(
  context: Context,
  { type, data, token_intent_id }: NewToken,
): { type: string; data: Json } {
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

/** Takes a token intent's content and removes the intent (rule O-03). The cvc is not kept. */
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
