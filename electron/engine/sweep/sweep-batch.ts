import type { ExpiringKind } from '../../../shared/clock-ahead.ts'
import type { ChangingEntity } from '../../../shared/entities.ts'
import type { EventType } from '../../../shared/webhook-events.ts'
import type { Event } from '../events/event.ts'
import { createSystemEvents } from '../events/system-events.ts'
import { writeEvents } from '../events/write.ts'
import type { Context } from '../pipeline/context.ts'
import { deleteOldReplays } from '../pipeline/idempotency.ts'
import { shortenChain } from '../pipeline/log-chain.ts'
import type { LogRecord } from '../pipeline/records.ts'
import { createExpiryRecord } from '../pipeline/system-records.ts'
import { toJobEventData } from '../resources/account-updater/jobs/present.ts'
import { deleteExpiredParts, failStalledJobs } from '../resources/account-updater/jobs/store.ts'
import { deleteExpiredApplications, type ExpiredApplication } from '../resources/applications/store.ts'
import { deleteExpiredRows } from '../resources/crud.ts'
import { deleteExcessLogs, deleteOldLogs, deleteStaleTerms } from '../resources/logs/store.ts'
import { deleteOldRequests } from '../resources/reactors/requests/store.ts'
import { expireIntentCvcs } from '../resources/tokens/intents/expire-cvcs.ts'
import { deleteOldMoves } from '../resources/tokens/read/container-moves.ts'
import { expireTokens } from '../resources/tokens/write/expire.ts'
import { expireCvcs } from '../resources/tokens/write/expire-cvcs.ts'
import { computeKeyedPairs } from '../resources/tokens/write/key-pairs.ts'
import { deleteOldDeliveries } from '../resources/webhooks/deliveries/store.ts'

/**
 * The maximum number of rows and the maximum time of a batch, so that a waiting request is not delayed for long
 * (rule R-03).
 */
const BATCH = 100
const BATCH_MS = 5
/**
 * The maximum number of search terms of old records per batch. It is higher than `BATCH`, because terms are small and
 * stored next to each other.
 */
const TERMS = 1000
const DAY_MS = 24 * 60 * 60 * 1000
/** How long deliveries are stored, in ms (rule W-04). */
const DELIVERIES_MS = 7 * DAY_MS

export type Sweep = Pick<Context, 'db' | 'keyring' | 'settings' | 'now' | 'trace_id'> & {
  /** When the vault was opened. */
  readonly opened_at: number
}

/** What is left of a batch, and the log records that it has caused. */
class Batch {
  readonly records: LogRecord[] = []
  remaining = BATCH
  readonly #until = performance.now() + BATCH_MS

  readonly hasTime = (): boolean => performance.now() < this.#until

  addRecords(records: readonly LogRecord[]): void {
    this.records.push(...records)
    this.remaining -= records.length
  }

  deleteExpiredRows({ db, now }: Sweep, entity: ExpiringKind & ChangingEntity): string[] {
    const ids = deleteExpiredRows(db, entity, now, this.remaining, this.hasTime)
    this.remaining -= ids.length
    return ids
  }
}

/** Deletes a part of what has expired of each kind, or its CVCs, in this order. */
const deleteExpired: Readonly<Record<ExpiringKind, (sweep: Sweep, batch: Batch) => void>> = {
  token: (sweep, batch) => {
    batch.addRecords(expireTokens(sweep, batch.remaining, batch.hasTime))
  },
  cvc: (sweep, batch) => {
    batch.addRecords(expireCvcs(sweep, batch.remaining, batch.hasTime))
    batch.remaining -= expireIntentCvcs(sweep, batch.remaining, batch.hasTime)
  },
  application: (sweep, batch) => {
    const expired = deleteExpiredApplications(sweep.db, sweep.now, batch.remaining, batch.hasTime)
    batch.addRecords(expired.map((each) => createApplicationRecord(sweep, each)))
  },
  token_intent: (sweep, batch) => {
    const ids = batch.deleteExpiredRows(sweep, 'token_intent')
    for (const id of ids) writeSystemEvents(sweep, 'token-intent.deleted', { token_intent: { id } })
  },
  session: (sweep, batch) => {
    batch.deleteExpiredRows(sweep, 'session')
  },
  client_key: (sweep, batch) => {
    batch.deleteExpiredRows(sweep, 'client_key')
  },
  three_ds_session: (sweep, batch) => {
    batch.deleteExpiredRows(sweep, 'three_ds_session')
  },
  account_updater_job: (sweep, batch) => {
    const { db, now, opened_at } = sweep
    for (const job of failStalledJobs(db, now, opened_at))
      writeSystemEvents(sweep, 'account-updater.job.failed', toJobEventData(job))
    const parts = deleteExpiredParts(db, now, batch.remaining)
    batch.remaining -= parts
    if (parts === 0) batch.deleteExpiredRows(sweep, 'account_updater_job')
  },
  apple_pay: (sweep, batch) => {
    batch.deleteExpiredRows(sweep, 'apple_pay')
  },
  google_pay: (sweep, batch) => {
    batch.deleteExpiredRows(sweep, 'google_pay')
  },
  log: ({ db, now, settings }, batch) => {
    batch.remaining -= deleteOldLogs(db, now - settings.log_retention_days * DAY_MS, batch.remaining)
  },
}

function writeSystemEvents(sweep: Sweep, type: EventType, data: Event['data']): void {
  const { db, keyring, now: at, trace_id } = sweep
  const events = createSystemEvents(sweep, type, data)
  if (events.length > 0) writeEvents(db, keyring, [{ at, trace_id, events }])
}

function createApplicationRecord(sweep: Sweep, { id, key_ids }: ExpiredApplication): LogRecord {
  return {
    ...createExpiryRecord('applications.expire', { type: 'application', id }, null, sweep),
    events: [
      ...createSystemEvents(sweep, 'application.deleted', { application: { id } }),
      ...key_ids.flatMap((key_id) =>
        createSystemEvents(sweep, 'application.key.deleted', {
          application_key: { id: key_id, application_id: id },
        }),
      ),
    ],
  }
}

/**
 * Deletes a batch of expired data, inside the caller's transaction: what `deleteExpired` lists, replays, results of
 * reactors, moves of tokens, deliveries (rules T-14, T-15, K-03, O-03 to O-05, A-12, C-01, L-03, F-05, S-01). In a
 * vault of an older format it also computes keyed digests of metadata. Returns the log records, and whether there may
 * be more to do.
 */
export function sweepBatch(sweep: Sweep): { records: LogRecord[]; more: boolean } {
  const { db, keyring, now } = sweep
  const batch = new Batch()
  for (const deleteSome of Object.values(deleteExpired)) {
    if (!batch.hasTime()) return { records: batch.records, more: true }
    deleteSome(sweep, batch)
  }
  batch.remaining -= deleteOldReplays(db, now, batch.remaining)
  batch.remaining -= deleteOldRequests(db, now, batch.remaining)
  batch.remaining -= deleteOldMoves(db, now - DAY_MS, batch.remaining)
  batch.remaining -= deleteOldDeliveries(db, { since: now - DELIVERIES_MS, now }, batch.remaining)
  const more = computeKeyedPairs(db, keyring)
  return { records: batch.records, more: more || batch.remaining <= 0 }
}

/**
 * Deletes a batch of the log records beyond the maximum number, and of the search terms of deleted records. Neither
 * depends on the clock. Returns whether there may be more to do.
 */
export function trimLog({ db, settings }: Pick<Sweep, 'db' | 'settings'>): boolean {
  const deleted = deleteExcessLogs(db, settings.log_retention_records, BATCH)
  const rest = [deleteStaleTerms(db, TERMS), shortenChain(db, TERMS)]
  return deleted === BATCH || rest.includes(true)
}
