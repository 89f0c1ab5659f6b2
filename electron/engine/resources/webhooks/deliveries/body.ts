import type { Json } from '../../../../../shared/json.ts'
import { formatEventTime } from '../../../../../shared/time.ts'
import type { Keyring } from '../../../crypto/keyring.ts'
import { EVENT_LABEL } from '../../../events/write.ts'
import type { EventRow } from './store.ts'

/** Returns the data of a stored event as JSON text, decrypted if events of its type are stored encrypted. */
function openEventData(keyring: Keyring, row: EventRow): string {
  return row.sealed_data === null
    ? (row.data ?? '{}')
    : keyring.openValue(row.sealed_data, row.event_id, EVENT_LABEL)
}

/** Returns the member `event` of a delivery's body (rule W-01). */
export function toWebhookEvent(keyring: Keyring, tenant_id: string, row: EventRow): Json {
  return {
    id: row.event_id,
    type: row.type,
    timestamp: formatEventTime(row.created_at),
    tenant_id,
    trace_id: row.trace_id,
    data: JSON.parse(openEventData(keyring, row)) as Json,
  }
}
