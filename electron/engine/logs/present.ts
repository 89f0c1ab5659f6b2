import type { Log } from '../../../shared/schemas/log.ts'
import { isoTime } from '../../../shared/time.ts'
import type { LogFilter, LogRow } from './store.ts'

/** A record as the interface answers it (rule O-05); `about` is the entity it was looked for by. */
export function toLog(row: LogRow, tenant_id: string, about: LogFilter['entity_id']): Log {
  const entity_id = row.entity_id ?? about
  return {
    id: String(row.seq),
    tenant_id,
    ...(row.actor_id !== null && { actor_id: row.actor_id }),
    ...(row.actor_type !== 'unknown' && { actor_type: row.actor_type }),
    entity_type: row.entity_type,
    ...(entity_id !== undefined && { entity_id }),
    operation: row.operation,
    status: row.status,
    message: messageOf(row),
    trace_id: row.trace_id,
    duration_ms: row.duration_us / 1000,
    created_at: isoTime(row.at),
  }
}

function messageOf({ status, note }: LogRow): string {
  const outcome = status < 400 ? 'Done' : `Refused with ${status}`
  return note === null ? outcome : `${outcome}: ${note}`
}
