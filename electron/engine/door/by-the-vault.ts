import type { Entity } from './operation.ts'
import type { LogRecord } from './records.ts'

/** The record of something the vault did by itself because its time had come (rules T-11, T-14, T-15, K-03). */
export function byItself(
  operation: `${string}.expire` | `${string}.expireCvc`,
  entity: { readonly type: Entity; readonly id: string },
  note: string | null,
  { now, trace_id }: { readonly now: number; readonly trace_id: string },
): LogRecord {
  return {
    at: now,
    actor_type: 'vault',
    actor_id: null,
    operation,
    entity_type: entity.type,
    entity_id: entity.id,
    entity_ids: [],
    status: 204,
    note,
    trace_id,
    duration_us: 0,
  }
}
