import { randomUUID } from 'node:crypto'
import type { CofferError } from '../../../shared/errors.ts'
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

/**
 * The record of what was done to the vault as a whole past the door, such as a backup or a new key: by its owner, or
 * by the vault because it was time (rule O-05).
 */
export function upkeepRecord(
  operation: `vault.${string}`,
  by: 'owner' | 'vault',
  { now, error, ms }: { readonly now: number; readonly error: CofferError | undefined; readonly ms: number },
): LogRecord {
  return {
    at: now,
    actor_type: by,
    actor_id: null,
    operation,
    entity_type: 'vault',
    entity_id: null,
    entity_ids: [],
    status: error?.status ?? 200,
    // SECURITY: the code alone: the sentence may name a file of the owner's, and applications read the log.
    note: error?.code ?? null,
    trace_id: randomUUID(),
    duration_us: Math.round(ms * 1000),
  }
}
