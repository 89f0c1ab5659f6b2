import { createInvalidError } from '../../../../shared/errors.ts'
import { isObject, type Json, type JsonObject } from '../../../../shared/json.ts'
import { Problems } from '../../../../shared/problems.ts'
import type { NewNetworkToken } from '../../../../shared/schemas/network-token.ts'
import type { Context } from '../../pipeline/context.ts'
import { requireMerchant } from '../tenants/merchants/require-merchant.ts'
import { openIntentData } from '../tokens/intents/present.ts'
import { findTokenIntent } from '../tokens/intents/store.ts'
import type { NetworkTokenSource } from '../tokens/links.ts'
import { openData } from '../tokens/read/present.ts'
import { toSubject } from '../tokens/read/require-token.ts'
import { findToken } from '../tokens/store.ts'
import { computeDefaultFingerprint } from '../tokens/types/content.ts'
import { requireType, typeRules } from '../tokens/types/types.ts'
import { requireGrant } from './access.ts'
import { createRefusal } from './scenarios.ts'

/** A card, or a network token as a card. SECURITY: plaintext. */
export type CardContent = {
  readonly number: string
  readonly expiration_month: number
  readonly expiration_year: number
}

/** A card as it was sent or stored, and what stores it. */
type OpenedSource = {
  readonly number?: Json
  readonly expiration_month?: Json
  readonly expiration_year?: Json
  readonly source?: NetworkTokenSource
}

type CardSource = {
  readonly card: CardContent
  readonly source: NetworkTokenSource | undefined
  readonly fingerprint: Buffer
}

/**
 * Reads the card of a request: its data, or that of a token or a token intent on whose containers the caller may create
 * network tokens. The expiry of the request takes precedence. Throws `invalid`, `forbidden` and, without a number or
 * an expiry, the refusal (rule Z-03).
 */
export function readSource(context: Context, request: NewNetworkToken): CardSource {
  const problems = new Problems()
  problems.attemptCheck(() => requireMerchant(context.db, request.merchant_id))
  const { data, token_id, token_intent_id } = request
  const sources = [data, token_id, token_intent_id].filter((each) => each !== undefined)
  if (sources.length === 0) problems.add('token_id', 'is required, unless data or token_intent_id is sent')
  if (sources.length > 1) problems.add('token_id', 'cannot be combined with data or token_intent_id')
  if (sources.length !== 1) problems.throwAll()
  return problems.concludeWith(() => {
    const { number, expiration_month, expiration_year, source } = openSource(context, request)
    const month = request.expiration_month ?? expiration_month ?? null
    const year = request.expiration_year ?? expiration_year ?? null
    if (typeof number !== 'string' || month === null || year === null)
      throw createRefusal('CARD_DATA_MISSING')
    const card = { number, expiration_month: Number(month), expiration_year: Number(year) }
    return { card, source, fingerprint: computeDefaultFingerprint(context, 'card', { number }) }
  })
}

function openSource(context: Context, { data, token_id, token_intent_id }: NewNetworkToken): OpenedSource {
  if (token_id !== undefined) return openToken(context, token_id)
  if (token_intent_id !== undefined) return openIntent(context, token_intent_id)
  return { ...data }
}

function openToken(context: Context, id: string): OpenedSource {
  const row = findToken(context.db, id, context.now)
  if (!row) throw createInvalidError('token_id', 'must name a token that exists')
  requireGrant(context, 'create', toSubject(row))
  return { ...toCard(row.type, openData(context, row)), source: { kind: 'token', id: row.id } }
}

/** SECURITY: the access rules apply as if the intent were the token that it would become by default. */
function openIntent(context: Context, id: string): OpenedSource {
  const row = findTokenIntent(context.db, id, context.now)
  if (!row) throw createInvalidError('token_intent_id', 'must name a token intent that exists')
  requireGrant(context, 'create', { id: row.id, containers: [typeRules[requireType(row.type)].container] })
  return { ...toCard(row.type, openIntentData(context, row)), source: { kind: 'token_intent', id: row.id } }
}

function toCard(type: string, data: Json): JsonObject {
  return type === 'card' && isObject(data) ? data : {}
}
