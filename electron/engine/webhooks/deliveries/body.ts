import type { Json } from '../../../../shared/json.ts'
import { eventTime } from '../../../../shared/time.ts'
import type { Keyring } from '../../crypto/keyring.ts'
import { EVENT_LABEL } from '../../events/write.ts'
import type { EventRow } from './store.ts'

/** The data of an event as stored, opened. */
function dataOf(keyring: Keyring, row: EventRow): string {
  return row.sealed_data === null
    ? (row.data ?? '{}')
    : keyring.openValue(row.sealed_data, row.event_id, EVENT_LABEL)
}

/** The member `event` of what a webhook is told (rule W-01). */
export function eventOf(keyring: Keyring, tenant_id: string, row: EventRow): Json {
  return {
    id: row.event_id,
    type: row.type,
    timestamp: eventTime(row.created_at),
    tenant_id,
    trace_id: row.trace_id,
    data: JSON.parse(dataOf(keyring, row)) as Json,
  }
}
