import { type Json, readJson } from '../../../../shared/json.ts'
import type { TokenIntent } from '../../../../shared/schemas/token-intent.ts'
import { isoTime } from '../../../../shared/time.ts'
import { findBin } from '../../cards/store.ts'
import { base58 } from '../../crypto/base58.ts'
import type { Context } from '../../door/context.ts'
import { detailsOf } from '../read/present.ts'
import { isCvcGone, withoutCvc } from '../types/cvc.ts'
import type { TokenIntentRow } from './store.ts'

/**
 * Decrypts the data of a token intent. SECURITY: without a cvc past its retention time, even before it is deleted (rule
 * T-15).
 */
export function openIntentData(
  context: Pick<Context, 'keyring' | 'settings' | 'now'>,
  { id, data, cvc_stored_at }: TokenIntentRow,
): Json {
  const opened = readJson(context.keyring.openValue(data, id, 'intent'))
  return cvc_stored_at !== null && isCvcGone(cvc_stored_at, context) ? withoutCvc(opened) : opened
}

/** Returns a token intent as the interface shows it (rule O-03). SECURITY: without its data. */
export function toTokenIntent(context: Context, row: TokenIntentRow): TokenIntent {
  return {
    id: row.id,
    tenant_id: context.tenant_id,
    type: row.type,
    ...detailsOf(row.type, openIntentData(context, row), (number) => findBin(context.db, number)),
    fingerprint: base58(row.fingerprint),
    ...(row.created_by !== null && { created_by: row.created_by }),
    created_at: isoTime(row.created_at),
    expires_at: isoTime(row.expires_at),
  }
}
