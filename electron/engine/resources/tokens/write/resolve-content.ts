import { CofferError, createInvalidError, type FieldErrors } from '../../../../../shared/errors.ts'
import type { Json } from '../../../../../shared/json.ts'
import type { NewToken } from '../../../../../shared/schemas/token.ts'
import type { TokenType } from '../../../../../shared/token-types.ts'
import type { Context } from '../../../pipeline/context.ts'
import { resolveData } from '../../../pipeline/encrypted.ts'
import { openIntentData } from '../intents/present.ts'
import { deleteTokenIntent, findTokenIntent } from '../intents/store.ts'
import { hasCvc, removeCvc } from '../types/cvc.ts'
import { requireType, toStoredData } from '../types/types.ts'

type NewContent = { readonly type: TokenType; readonly data: Json }

/** Returns the type and data of a new token: from the request, or from a token intent (rule T-01). Throws `invalid`. */
export function resolveContent(context: Context, input: NewToken): NewContent {
  const { type, token_intent_id } = input
  const data = resolveData(context, input)
  if (token_intent_id === undefined) {
    if (type !== undefined && data !== undefined)
      return { type: requireType(type), data: toStoredData(type, data) }
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
function consumeIntent(context: Context, id: string): NewContent {
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
