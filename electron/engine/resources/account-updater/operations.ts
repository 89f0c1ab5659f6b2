import { createInvalidError } from '../../../../shared/errors.ts'
import {
  type AccountUpdaterResult,
  realTimeResult,
  realTimeUpdate,
} from '../../../../shared/schemas/account-updater.ts'
import { decideAccess } from '../../access/access.ts'
import type { Context } from '../../pipeline/context.ts'
import { createDeletedSinceError } from '../../pipeline/idempotency.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { requireMerchant } from '../tenants/merchants/require-merchant.ts'
import { toReference, toToken } from '../tokens/read/present.ts'
import { toSubject } from '../tokens/read/require-token.ts'
import { findToken, type TokenRow } from '../tokens/store.ts'
import { type CardProblem, updateCard } from './update-card.ts'

const permission = 'account-updater:real-time:invoke'

const problems: Readonly<Record<CardProblem, readonly [path: string, message: string]>> = {
  no_card: ['token_id', 'must be the id of a token of type card'],
  no_month: ['expiration_month', 'is required, because the token has none'],
  no_year: ['expiration_year', 'is required, because the token has none'],
}

type StoredResult = { readonly result_code: AccountUpdaterResult; readonly token_id: string | null }

export const invoke = defineOperation({
  summary: 'Update the card of a token; its number decides the result',
  route: 'POST /account-updater/real-time',
  permission,
  entity: 'token',
  input: realTimeUpdate,
  output: realTimeResult,
  handler(context, { token_id, expiration_month, expiration_year, deduplicate_token, merchant_id }) {
    requireMerchant(context.db, merchant_id)
    const before = findToken(context.db, token_id, context.now)
    if (before) context.requireAccess(permission, toSubject(before), 'all')
    const result = updateCard(context, permission, {
      token_id,
      expiration_month,
      expiration_year,
      deduplicate: deduplicate_token,
      way: 'real-time',
    })
    if (typeof result === 'string') throw createInvalidError(...problems[result])
    const { result_code, token } = result
    context.setRecordEntity(token_id, result_code)
    const stored: StoredResult = { result_code, token_id: token?.row.id ?? null }
    context.storeReplay(stored, token ? [token.row.id] : [])
    return { result_code, ...(token && { new_token: presentToken(context, token.row) }) }
  },
  replay(context, { result_code, token_id }: StoredResult) {
    if (token_id === null) return { result_code }
    const token = findToken(context.db, token_id, context.now)
    if (!token) throw createDeletedSinceError()
    return { result_code, new_token: presentToken(context, token) }
  },
})

/** SECURITY: updating a card does not imply reading it, so the data is shown as the caller may read it. */
function presentToken(context: Context, row: TokenRow) {
  const read = decideAccess(context.actor, 'token:read', toSubject(row), 'any')
  return read ? toToken(context, row, read.transform) : toReference(context, row)
}
