import { isObject, type Json, readJson } from '../../../../shared/json.ts'
import type { Transform } from '../../../../shared/schemas/rule.ts'
import type { CreatedToken, Token } from '../../../../shared/schemas/token.ts'
import { isoTime } from '../../../../shared/time.ts'
import { isTokenType } from '../../../../shared/token-types.ts'
import { bankDetails } from '../../banks/bank-data.ts'
import type { BinLookup } from '../../cards/bin-table.ts'
import { cardDetails } from '../../cards/card-details.ts'
import { findBin } from '../../cards/store.ts'
import { base58 } from '../../crypto/base58.ts'
import type { Context } from '../../door/context.ts'
import { evaluateStructure } from '../../expressions/structure.ts'
import type { Work } from '../../expressions/work.ts'
import { containersOf, type TokenRow } from '../store.ts'
import { isCvcGone, withoutCvc } from '../types/cvc.ts'
import { defaultMaskFor, rulesOf } from '../types/types.ts'

/** Decrypts a row's data. SECURITY: without a cvc past its retention time, even before it is deleted (rule T-15). */
export function openData(
  context: Pick<Context, 'keyring' | 'settings' | 'now'>,
  { id, data, cvc_stored_at }: Pick<TokenRow, 'id' | 'data' | 'cvc_stored_at'>,
): Json {
  const opened = readJson(context.keyring.openValue(data, id, 'data'))
  return cvc_stored_at !== null && isCvcGone(cvc_stored_at, context) ? withoutCvc(opened) : opened
}

/** Returns the mask in force: the token's own, or its type's default; null if there is none. */
export function maskOf(row: Pick<TokenRow, 'type' | 'mask'>, data: Json): Json {
  if (row.mask !== null) return readJson(row.mask)
  return isTokenType(row.type) ? defaultMaskFor(row.type, data) : null
}

/**
 * Returns `data` as a transform shows it, or undefined if it is left out (rule P-08). SECURITY: the only way for
 * plaintext into an answer, so that its record is written first (rule O-05, case X-44).
 */
export function transformed(
  context: Context,
  work: Work,
  transform: Transform,
  data: Json,
  mask: Json,
): Json | undefined {
  if (transform === 'reveal') {
    context.showsPlaintext()
    context.sees(data)
    return data
  }
  if (transform !== 'mask' || mask === null) return undefined
  try {
    return evaluateStructure(work, mask, { data })
  } catch (error) {
    // SECURITY: what was not evaluated for lack of work is an error of the request, never an absence of data.
    if (work.left < 0) throw error
    // The mask worked when the token was written, but its cvc may be gone now. One token must not break a list.
    return undefined
  }
}

/**
 * Returns a token as the interface shows it (rules T-08, P-08, T-16, T-17). Members without a value are left out.
 * SECURITY: only `transform` decides how much of the data is shown.
 */
export function toToken(
  context: Context,
  row: TokenRow,
  transform: Transform,
  work: Work = context.work,
): Token {
  return toTokenWith(context, row, openData(context, row), transform, work)
}

/** Returns what callers who may not read a token see of it when they ask for a duplicate (rules T-10, T-13). */
export function toReference({ tenant_id }: Context, row: TokenRow): CreatedToken {
  const { id, type, fingerprint } = row
  return {
    id,
    tenant_id,
    type,
    ...(fingerprint && { fingerprint: base58(fingerprint) }),
    containers: containersOf(row),
  }
}

/** As `toToken`, for data that was just sealed into the row and need not be decrypted. */
export function toTokenWith(
  context: Context,
  row: TokenRow,
  data: Json,
  transform: Transform,
  work: Work = context.work,
): Token {
  const mask = maskOf(row, data)
  const shown = transformed(context, work, transform, data, mask)
  const rules = isTokenType(row.type) ? rulesOf[row.type] : undefined
  const search_indexes = row.search_indexes
    ? (JSON.parse(row.search_indexes) as string[])
    : (rules?.search_indexes ?? [])
  const expression = row.fingerprint_expression ?? (row.fingerprint && rules?.fingerprint_expression)
  const { card, bank } = detailsOf(row.type, data, (number) => findBin(context.db, number))
  const token: Token = {
    id: row.id,
    tenant_id: context.tenant_id,
    type: row.type,
    containers: containersOf(row),
    created_at: isoTime(row.created_at),
  }
  // Assigned one by one: spreading them into the object costs more than decrypting the data.
  if (shown !== undefined) token.data = shown
  if (mask !== null) token.mask = mask
  if (card) token.card = card
  if (bank) token.bank = bank
  if (row.fingerprint) token.fingerprint = base58(row.fingerprint)
  if (expression) token.fingerprint_expression = expression
  if (row.metadata !== null) token.metadata = JSON.parse(row.metadata)
  if (search_indexes.length > 0) token.search_indexes = [...search_indexes]
  if (row.expires_text !== null) token.expires_at = row.expires_text
  if (row.created_by !== null) token.created_by = row.created_by
  if (row.modified_by !== null) token.modified_by = row.modified_by
  if (row.modified_at !== null) token.modified_at = isoTime(row.modified_at)
  return token
}

/** Returns the `card` or `bank` member that a type has (rules T-16, T-17). */
export function detailsOf(type: string, data: Json, imported: BinLookup): Pick<Token, 'card' | 'bank'> {
  if (type === 'card_number' && typeof data === 'string') return { card: cardDetails(data, imported) }
  if (!isObject(data)) return {}
  if (type === 'card' && typeof data.number === 'string') {
    return { card: cardDetails({ ...data, number: data.number }, imported) }
  }
  const { routing_number, account_number } = data
  if (type === 'bank' && typeof routing_number === 'string' && typeof account_number === 'string') {
    return { bank: bankDetails({ routing_number, account_number }) }
  }
  return {}
}
