import type { Json } from '../../../../../shared/json.ts'
import { mergePatch } from '../../../../../shared/merge-patch.ts'
import type { NewToken } from '../../../../../shared/schemas/token.ts'
import { decideAccess, describeGrant } from '../../../access/access.ts'
import type { Context } from '../../../pipeline/context.ts'
import { toSubject } from '../read/require-token.ts'
import { toTokenUpdatedEvent } from '../read/token-events.ts'
import { type TokenRow, updateToken } from '../store.ts'
import { dropExpiredCvc } from './expire-cvcs.ts'
import { buildPatchedRow } from './patched-row.ts'

/**
 * Applies the members of a request to the token that it would duplicate, if it converts a token intent or the tenant's
 * `token_deduplication_behavior` is `update_existing` (rules T-10, O-03). A converted intent is merged like a patch, with
 * the record and the event of one; other requests replace what they have. Returns the new row, or null if the token
 * stays unchanged: the setting is different, or the caller may not update the token. Throws `invalid` if the updated
 * token would not be valid.
 */
export function updateDuplicate(
  context: Context,
  existing: TokenRow,
  input: Omit<NewToken, 'data'> & { readonly data: Json },
): TokenRow | null {
  const isConverted = input.token_intent_id !== undefined
  if (!isConverted && context.settings.token_deduplication_behavior !== 'update_existing') return null
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
  const merge = isConverted ? mergePatch : (_before: Json, value: Json) => value
  const { row, containers: after } = buildPatchedRow(context, before, patch, merge)
  const grant = decideAccess(context.actor, 'token:update', { id: row.id, containers: after }, 'all')
  if (!grant) return null
  updateToken(context, before, row)
  context.setRecordEntity(row.id, `updated: ${describeGrant(grant, 'token:update')}`)
  context.queueEvent('token.updated', () => toTokenUpdatedEvent(row))
  return row
}
