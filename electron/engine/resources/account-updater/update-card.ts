import { isObject, type Json, readJson } from '../../../../shared/json.ts'
import type { Permission } from '../../../../shared/permissions.ts'
import type { AccountUpdaterResult } from '../../../../shared/schemas/account-updater.ts'
import { newToken } from '../../../../shared/schemas/token.ts'
import { parseInput } from '../../../../shared/validation.ts'
import { decideAccess } from '../../access/access.ts'
import type { Context } from '../../pipeline/context.ts'
import { openData } from '../tokens/read/present.ts'
import { toSubject } from '../tokens/read/require-token.ts'
import { toTokenCreatedEvent, toTokenUpdatedEvent } from '../tokens/read/token-events.ts'
import { findToken, getContainers, insertToken, type TokenRow, updateToken } from '../tokens/store.ts'
import { findDuplicate, isDeduplicated } from '../tokens/write/duplicate.ts'
import { dropExpiredCvc } from '../tokens/write/expire-cvcs.ts'
import { newTokenRow } from '../tokens/write/new-row.ts'
import { buildPatchedRow } from '../tokens/write/patched-row.ts'
import { findCardUpdate } from './scenarios.ts'

type CardRequest = {
  readonly token_id: string
  readonly expiration_month?: number | undefined
  readonly expiration_year?: number | undefined
  /** The tenant's setting if it is undefined. */
  readonly deduplicate: boolean | undefined
  readonly way: 'real-time' | 'job'
}

/** Why a card cannot be looked up. */
export type CardProblem = 'no_card' | 'no_month' | 'no_year'

/** The result for a card, with the token that has its new data. */
export type UpdatedCard = {
  readonly result_code: AccountUpdaterResult
  readonly token?: { readonly row: TokenRow; readonly data: StoredCard }
}

/** What a token has of a card. */
type StoredCard = { readonly number: string; readonly expiration_month: Json; readonly expiration_year: Json }

function openCard(context: Context, row: TokenRow | undefined): StoredCard | null {
  const data = row?.type === 'card' ? openData(context, row) : null
  if (!isObject(data) || typeof data.number !== 'string') return null
  const { number, expiration_month = null, expiration_year = null } = data
  return { number, expiration_month, expiration_year }
}

/**
 * Looks up the card of a token, and stores its new data: in the existing token with that number if tokens are
 * deduplicated, otherwise in a new one with the containers, metadata and expressions of the old one, which stays (rule
 * Z-03). SECURITY: the new data never contains the cvc of the old card, and a token that `permission` is not
 * granted on counts as none. Throws `invalid` if the new data does not suit the token's expressions.
 */
export function updateCard(
  context: Context,
  permission: Permission,
  { token_id, deduplicate, way, ...requested }: CardRequest,
): UpdatedCard | CardProblem {
  const found = findToken(context.db, token_id, context.now)
  const before = found && decideAccess(context.actor, permission, toSubject(found), 'all') ? found : undefined
  const card = openCard(context, before)
  if (!before || !card) return 'no_card'
  const expiration_month = requested.expiration_month ?? card.expiration_month
  const expiration_year = requested.expiration_year ?? card.expiration_year
  if (expiration_month === null) return 'no_month'
  if (expiration_year === null) return 'no_year'
  const { result_code, update } = findCardUpdate(card.number, way)
  if (!update) return { result_code }
  const data = { number: card.number, expiration_month, expiration_year, ...update }
  return { result_code, token: { row: storeCard(context, permission, before, data, deduplicate), data } }
}

function storeCard(
  context: Context,
  permission: Permission,
  before: TokenRow,
  data: StoredCard,
  deduplicate: boolean | undefined,
): TokenRow {
  const { mask, metadata, search_indexes, fingerprint_expression, expires_text } = before
  const input = parseInput(newToken, {
    type: 'card',
    data,
    containers: getContainers(before),
    mask: mask === null ? null : readJson(mask),
    metadata: metadata === null ? null : JSON.parse(metadata),
    search_indexes: search_indexes === null ? null : JSON.parse(search_indexes),
    fingerprint_expression,
    expires_at: expires_text,
    deduplicate_token: deduplicate,
  })
  const { row } = newTokenRow(context, input)
  const existing = isDeduplicated(context.settings, deduplicate) && findDuplicate(context, row)
  // SECURITY: the update of a token that the caller may not reach would show that it exists.
  if (existing && decideAccess(context.actor, permission, toSubject(existing), 'all')) {
    const stored = dropExpiredCvc(context, existing)
    const { row: updated } = buildPatchedRow(context, stored, {
      id: existing.id,
      data: { ...data, cvc: null },
    })
    updateToken(context, stored, updated)
    context.queueEvent('token.updated', () => toTokenUpdatedEvent(updated))
    return updated
  }
  insertToken(context, row)
  context.queueEvent('token.created', () => toTokenCreatedEvent(row))
  return row
}
