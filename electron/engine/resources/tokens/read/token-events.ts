import type { Json } from '../../../../../shared/json.ts'
import { formatEventTime } from '../../../../../shared/time.ts'
import { isTokenType } from '../../../../../shared/token-types.ts'
import { encodeBase58 } from '../../../crypto/base58.ts'
import type { Context } from '../../../pipeline/context.ts'
import { getContainers, type TokenRow } from '../store.ts'
import { typeRules } from '../types/types.ts'

/** Returns the event data of a created token (rule W-01). SECURITY: never contains its data or mask (rule W-05). */
export function toTokenCreatedEvent(row: TokenRow): { token: Record<string, Json> } {
  const rules = isTokenType(row.type) ? typeRules[row.type] : undefined
  return {
    token: {
      id: row.id,
      type: row.type,
      metadata: row.metadata === null ? {} : (JSON.parse(row.metadata) as Json),
      containers: getContainers(row),
      fingerprint: row.fingerprint && encodeBase58(row.fingerprint),
      fingerprint_expression:
        row.fingerprint_expression ?? (row.fingerprint && (rules?.fingerprint_expression ?? null)),
      search_indexes: row.search_indexes
        ? (JSON.parse(row.search_indexes) as string[])
        : [...(rules?.search_indexes ?? [])],
      created_by: row.created_by,
      created_at: formatEventTime(row.created_at),
      expires_at: row.expires_at === null ? null : formatEventTime(row.expires_at),
    },
  }
}

/** Returns the event data of an updated token (rule W-01). */
export function toTokenUpdatedEvent(row: TokenRow): { token: Record<string, Json> } {
  const { token } = toTokenCreatedEvent(row)
  const modified_at = row.modified_at === null ? null : formatEventTime(row.modified_at)
  return { token: { ...token, modified_by: row.modified_by, modified_at } }
}

/** Queues the event `token.read` for webhooks (rule W-01). */
export function queueTokenReadEvent(context: Context, { id, type }: TokenRow): void {
  context.queueEvent('token.read', () => ({ token: { id, type } }))
}
