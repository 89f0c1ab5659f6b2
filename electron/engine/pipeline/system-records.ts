import { randomUUID } from 'node:crypto'
import type { Entity } from '../../../shared/entities.ts'
import type { CofferError } from '../../../shared/errors.ts'
import type { LogRecord } from './records.ts'

/** Returns the log record of an expiry, which the vault carries out by itself (rules T-11, T-14, T-15, K-03). */
export function createExpiryRecord(
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
 * Returns the log record of an action on the whole vault that is not an operation, such as a backup or a key rotation.
 * Such an action is carried out by the owner or, on schedule, by the vault (rule O-05).
 */
export function createMaintenanceRecord(
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
    // SECURITY: only the code, because the message may name one of the owner's files, and applications read the
    // log.
    note: error?.code ?? null,
    trace_id: randomUUID(),
    duration_us: Math.round(ms * 1000),
  }
}

/**
 * Returns the record that represents `count` rejected requests without a valid key, which have no records of their
 * own (rules A-04, O-05).
 */
export function createRejectionCountRecord(count: number, now: number): LogRecord {
  return {
    at: now,
    actor_type: 'unknown',
    actor_id: null,
    operation: 'vault.refuseUnknown',
    entity_type: 'vault',
    entity_id: null,
    entity_ids: [],
    status: 401,
    note: `${count.toLocaleString('en-US')} more ${count === 1 ? 'request' : 'requests'} without a valid key within a minute`,
    trace_id: randomUUID(),
    duration_us: 0,
    detail: { requests: count },
  }
}
