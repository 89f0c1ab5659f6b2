import { type Json, readJson } from '../../../../../shared/json.ts'
import type { TokenIntent } from '../../../../../shared/schemas/token-intent.ts'
import { formatIsoTime } from '../../../../../shared/time.ts'
import { encodeBase58 } from '../../../crypto/base58.ts'
import type { Context } from '../../../pipeline/context.ts'
import { findBin } from '../../cards/store.ts'
import { toNetworkTokenExtras } from '../links.ts'
import { toTypeDetails } from '../read/present.ts'
import { isCvcExpired, removeCvc } from '../types/cvc.ts'
import type { TokenIntentRow } from './store.ts'

/** Decrypts a token intent's data. SECURITY: omits a cvc past its retention time, even if not deleted (T-15). */
export function openIntentData(
  context: Pick<Context, 'keyring' | 'settings' | 'now'>,
  { id, data, cvc_stored_at }: TokenIntentRow,
): Json {
  const decrypted = readJson(context.keyring.openValue(data, id, 'intent'))
  return cvc_stored_at !== null && isCvcExpired(cvc_stored_at, context) ? removeCvc(decrypted) : decrypted
}

/**
 * Converts a row to the token intent of the API (rule O-03). A row of a list may have no data, and then no details
 * either. SECURITY: the result does not contain the data.
 */
export function toTokenIntent(context: Context, row: TokenIntentRow): TokenIntent {
  const data = row.data.length === 0 ? null : openIntentData(context, row)
  const { _extras } = toNetworkTokenExtras(context, { kind: 'token_intent', id: row.id }, row.type, data)
  return {
    id: row.id,
    tenant_id: context.tenant_id,
    type: row.type,
    ...toTypeDetails(row.type, data, (number) => findBin(context.db, number)),
    fingerprint: encodeBase58(row.fingerprint),
    ...(row.created_by !== null && { created_by: row.created_by }),
    created_at: formatIsoTime(row.created_at),
    expires_at: formatIsoTime(row.expires_at),
    ...((row.extras !== null || _extras) && {
      _extras: { ...JSON.parse(row.extras ?? '{}'), ..._extras },
    }),
  }
}
