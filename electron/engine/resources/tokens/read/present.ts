import { isObject, type Json, readJson } from '../../../../../shared/json.ts'
import type { RuleTransform } from '../../../../../shared/schemas/rule.ts'
import type { CreatedToken, Token, TokenExtras } from '../../../../../shared/schemas/token.ts'
import { formatIsoTime } from '../../../../../shared/time.ts'
import { isTokenType } from '../../../../../shared/token-types.ts'
import { encodeBase58 } from '../../../crypto/base58.ts'
import { evaluateStructure } from '../../../expressions/structure.ts'
import type { WorkBudget } from '../../../expressions/work-budget.ts'
import type { Context } from '../../../pipeline/context.ts'
import { toBankDetails } from '../../banks/bank-data.ts'
import type { BinLookup } from '../../cards/bin-table.ts'
import { toCardDetails } from '../../cards/card-details.ts'
import { findBin } from '../../cards/store.ts'
import { toNetworkTokenExtras } from '../links.ts'
import { getContainers, type TokenRow } from '../store.ts'
import { isCvcExpired, removeCvc } from '../types/cvc.ts'
import { getDefaultMask, typeRules } from '../types/types.ts'

/** Decrypts a row's data. SECURITY: omits a cvc past its retention time, even before it is deleted (rule T-15). */
export function openData(
  context: Pick<Context, 'keyring' | 'settings' | 'now'>,
  { id, data, cvc_stored_at }: Pick<TokenRow, 'id' | 'data' | 'cvc_stored_at'>,
): Json {
  const decrypted = readJson(context.keyring.openValue(data, id, 'data'))
  return cvc_stored_at !== null && isCvcExpired(cvc_stored_at, context) ? removeCvc(decrypted) : decrypted
}

/** Returns the mask that applies to a token: its own or, if it has none, that of its type; null if neither exists. */
export function resolveMask(row: Pick<TokenRow, 'type' | 'mask'>, data: Json): Json {
  if (row.mask !== null) return readJson(row.mask)
  return isTokenType(row.type) ? getDefaultMask(row.type, data) : null
}

/**
 * Returns `data` as a transform shows it, or undefined if the transform omits it (rule P-08). SECURITY: this is the
 * only place where plaintext enters a response, so that its log record is written first (rule O-05, case X-44).
 */
export function applyTransform(
  context: Context,
  work: WorkBudget,
  transform: RuleTransform,
  data: Json,
  mask: Json,
): Json | undefined {
  if (transform === 'reveal') {
    context.markPlaintextShown()
    context.recordPlaintextRead(data)
    return data
  }
  if (transform !== 'mask' || mask === null) return undefined
  try {
    return evaluateStructure(work, mask, { data })
  } catch (error) {
    // SECURITY: a request without remaining work must fail; its result must not look like a token without data.
    if (work.remaining < 0) throw error
    // The mask was valid when the token was written, but may need a cvc that has been deleted since. One token must
    // not make a whole list fail.
    return undefined
  }
}

/**
 * Converts a row to the token of the API (rules T-08, P-08, T-16, T-17). Members without a value are left out.
 * SECURITY: `transform` alone decides how much of the data is shown.
 */
export function toToken(
  context: Context,
  row: TokenRow,
  transform: RuleTransform,
  work: WorkBudget = context.work,
): Token {
  return toTokenWith(context, row, openData(context, row), transform, work)
}

/** Adds what happened to a request to a token that it created or changed. */
export function addExtras<Shown extends CreatedToken>(shown: Shown, extras: TokenExtras): Shown {
  return { ...shown, _extras: { ...shown._extras, ...extras } }
}

/** Returns what callers see of a duplicate that they may not read (rules T-10, T-13). */
export function toReference({ tenant_id }: Context, row: TokenRow): CreatedToken {
  const { id, type, fingerprint } = row
  return {
    id,
    tenant_id,
    type,
    ...(fingerprint && { fingerprint: encodeBase58(fingerprint) }),
    containers: getContainers(row),
  }
}

/** Like `toToken`, but takes the plaintext of the row's data, so that the data is not decrypted again. */
export function toTokenWith(
  context: Context,
  row: TokenRow,
  data: Json,
  transform: RuleTransform,
  work: WorkBudget = context.work,
): Token {
  const mask = resolveMask(row, data)
  const visibleData = applyTransform(context, work, transform, data, mask)
  const rules = isTokenType(row.type) ? typeRules[row.type] : undefined
  const search_indexes = parseSearchIndexes(row) ?? rules?.search_indexes
  const expression = row.fingerprint_expression ?? (row.fingerprint && rules?.fingerprint_expression)
  const token: Token = {
    id: row.id,
    tenant_id: context.tenant_id,
    type: row.type,
    containers: getContainers(row),
    created_at: formatIsoTime(row.created_at),
  }
  // Assigned one by one, because spreading them into the object costs more than decrypting the data.
  if (visibleData !== undefined) token.data = visibleData
  if (mask !== null) token.mask = mask
  Object.assign(
    token,
    toTypeDetails(row.type, data, (number) => findBin(context.db, number)),
    toNetworkTokenExtras(context, { kind: 'token', id: row.id }, row.type, data),
  )
  if (row.fingerprint) token.fingerprint = encodeBase58(row.fingerprint)
  if (expression) token.fingerprint_expression = expression
  if (row.metadata !== null) token.metadata = JSON.parse(row.metadata)
  if (search_indexes?.length) token.search_indexes = [...search_indexes]
  if (row.expires_text !== null) token.expires_at = row.expires_text
  if (row.created_by !== null) token.created_by = row.created_by
  if (row.modified_by !== null) token.modified_by = row.modified_by
  if (row.modified_at !== null) token.modified_at = formatIsoTime(row.modified_at)
  return token
}

function parseSearchIndexes({ search_indexes }: TokenRow): readonly string[] | undefined {
  return search_indexes ? JSON.parse(search_indexes) : undefined
}

/** Returns the `card`, `network_token` or `bank` member that a type has (rules T-16, T-17). */
export function toTypeDetails(
  type: string,
  data: Json,
  imported: BinLookup,
): Pick<Token, 'card' | 'network_token' | 'bank'> {
  if (type === 'card_number' && typeof data === 'string') return { card: toCardDetails(data, imported) }
  if (!isObject(data)) return {}
  if ((type === 'card' || type === 'network_token') && typeof data.number === 'string') {
    return { [type]: toCardDetails({ ...data, number: data.number }, imported) }
  }
  const { routing_number, account_number } = data
  if (type === 'bank' && typeof routing_number === 'string' && typeof account_number === 'string') {
    return { bank: toBankDetails({ routing_number, account_number }) }
  }
  return {}
}
