import { createSystemEvents } from '../events/system-events.ts'
import { writeEvents } from '../events/write.ts'
import type { Context } from '../pipeline/context.ts'
import { deleteOldReplays } from '../pipeline/idempotency.ts'
import { shortenChain } from '../pipeline/log-chain.ts'
import type { LogRecord } from '../pipeline/records.ts'
import { createExpiryRecord } from '../pipeline/system-records.ts'
import { deleteExpiredApplications } from '../resources/applications/store.ts'
import { deleteExpiredClientKeys } from '../resources/client-keys/store.ts'
import { deleteExcessLogs, deleteOldLogs, deleteStaleTerms } from '../resources/logs/store.ts'
import { deleteOldRequests } from '../resources/reactors/requests/store.ts'
import { deleteExpiredSessions } from '../resources/sessions/store.ts'
import { deleteExpiredThreeDs } from '../resources/three-ds/store.ts'
import { expireIntentCvcs } from '../resources/tokens/intents/expire-cvcs.ts'
import { deleteExpiredTokenIntents } from '../resources/tokens/intents/store.ts'
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

export type Sweep = Pick<Context, 'db' | 'keyring' | 'settings' | 'now' | 'trace_id'>

/**
 * Deletes a batch of expired data, inside the caller's transaction: tokens, cvcs, applications, token intents,
 * sessions, client encryption keys, 3D Secure sessions, replays, results of reactors, moves of tokens,
 * deliveries, old log records (rules T-14, T-15, K-03, O-03 to O-05, A-12, C-01, L-03, F-05, S-01). In a vault
 * of an older format it also computes keyed digests of metadata. Returns the log records, and whether there may
 * be more to do.
 */
export function sweepBatch(sweep: Sweep): { records: LogRecord[]; more: boolean } {
  const { db, keyring, now, settings } = sweep
  let remaining = BATCH
  const until = performance.now() + BATCH_MS
  const hasTime = () => performance.now() < until
  const records: LogRecord[] = []
  const reduceRemaining = (count: number) => {
    remaining -= count
  }
  const addRecords = (all: LogRecord[]) => {
    records.push(...all)
    reduceRemaining(all.length)
  }
  addRecords(expireTokens(sweep, remaining, hasTime))
  addRecords(expireCvcs(sweep, remaining, hasTime))
  reduceRemaining(expireIntentCvcs(sweep, remaining, hasTime))
  if (!hasTime()) return { records, more: true }
  addRecords(
    deleteExpiredApplications(db, now, remaining, hasTime).map(({ id, key_ids }) => ({
      ...createExpiryRecord('applications.expire', { type: 'application', id }, null, sweep),
      events: [
        ...createSystemEvents(sweep, 'application.deleted', { application: { id } }),
        ...key_ids.flatMap((key_id) =>
          createSystemEvents(sweep, 'application.key.deleted', {
            application_key: { id: key_id, application_id: id },
          }),
        ),
      ],
    })),
  )
  const intents = deleteExpiredTokenIntents(db, now, remaining, hasTime)
  reduceRemaining(intents.length)
  const events = intents.flatMap((id) =>
    createSystemEvents(sweep, 'token-intent.deleted', { token_intent: { id } }),
  )
  if (events.length > 0) writeEvents(db, keyring, [{ at: now, trace_id: sweep.trace_id, events }])
  reduceRemaining(deleteExpiredSessions(db, now, remaining, hasTime))
  reduceRemaining(deleteExpiredClientKeys(db, now, remaining))
  reduceRemaining(deleteExpiredThreeDs(db, now, remaining, hasTime))
  if (!hasTime()) return { records, more: true }
  reduceRemaining(deleteOldReplays(db, now, remaining))
  reduceRemaining(deleteOldRequests(db, now, remaining))
  reduceRemaining(deleteOldMoves(db, now - DAY_MS, remaining))
  reduceRemaining(deleteOldDeliveries(db, { since: now - DELIVERIES_MS, now }, remaining))
  reduceRemaining(deleteOldLogs(db, now - settings.log_retention_days * DAY_MS, remaining))
  const more = computeKeyedPairs(db, keyring)
  return { records, more: more || remaining <= 0 }
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
