import type { Json } from '../../../../../shared/json.ts'
import type { NewToken } from '../../../../../shared/schemas/token.ts'
import { decideAccess } from '../../../access/access.ts'
import type { Context } from '../../../pipeline/context.ts'
import { toSubject } from '../read/require-token.ts'
import { type TokenRow, updateToken } from '../store.ts'
import { dropExpiredCvc } from './expire-cvcs.ts'
import { buildPatchedRow } from './patched-row.ts'

/**
 * Applies the members of a request to the token that it would duplicate, if the tenant's `token_deduplication_behavior`
 * is `update_existing` (rule T-10). Returns the new row, or null if the setting is different or the caller may not
 * update the token, which then stays unchanged. Throws `invalid` if the updated token would not be valid.
 */
export function updateDuplicate(
  context: Context,
  existing: TokenRow,
  input: Omit<NewToken, 'data'> & { readonly data: Json },
): TokenRow | null {
  if (context.settings.token_deduplication_behavior !== 'update_existing') return null
  // SECURITY: permission to create does not imply permission to update. A new mask or container may expose the data.
  if (!decideAccess(context.actor, 'token:update', toSubject(existing), 'all')) return null
  const { data, mask, metadata, containers, search_indexes, fingerprint_expression, expires_at } = input
  const patch = {
    id: existing.id,
    data,
    mask,
    metadata,
    containers,
    search_indexes,
    fingerprint_expression,
    expires_at,
  }
  const before = dropExpiredCvc(context, existing)
  const { row, containers: after } = buildPatchedRow(context, before, patch, (_before, value) => value)
  if (!decideAccess(context.actor, 'token:update', { id: row.id, containers: after }, 'all')) return null
  updateToken(context, before, row)
  return row
}
