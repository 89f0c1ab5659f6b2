import type { DeliveryState } from '../../../../../shared/schemas/webhook.ts'
import { recordBulkChange } from '../../../db/changes.ts'
import type { Database } from '../../../db/open.ts'
import { sql } from '../../../db/statement.ts'
import { isStoringAllEvents } from '../../../events/subscriptions.ts'

/** One event for one webhook (rule W-02). */
export type DeliveryRow = {
  seq: number
  /** The webhook's id; `webhook` is its row number. */
  webhook_id: string
  webhook: number
  url: string
  state: DeliveryState
  by_owner: 0 | 1
  refusals: number
  next_at: number | null
  ended_at: number | null
  attempts: number
  event_id: string
  type: string
  trace_id: string
  created_at: number
  data: string | null
  sealed_data: Buffer | null
}

export type EventRow = Pick<
  DeliveryRow,
  'event_id' | 'type' | 'trace_id' | 'created_at' | 'data' | 'sealed_data'
>

export type AttemptRow = {
  id: string
  at: number
  duration_ms: number
  status: number | null
  failure: string | null
  /** Sealed; null without a response body. */
  answer: Buffer | null
}

const columns = `d.seq, w.id AS webhook_id, d.webhook, w.url, d.state, d.by_owner, d.refusals, d.next_at, d.ended_at,
  (SELECT count(*) FROM delivery_attempt a WHERE a.delivery = d.seq) AS attempts,
  e.id AS event_id, e.type, e.trace_id, e.created_at, e.data, e.sealed_data`
const joined = `delivery d JOIN webhook w ON w.seq = d.webhook JOIN event e ON e.seq = d.event`

/** Finds a delivery by its row number, together with its event. */
export function findDelivery(db: Database, seq: number): DeliveryRow | undefined {
  return sql<DeliveryRow>(db, `SELECT ${columns} FROM ${joined} WHERE d.seq = ?`).get(seq)
}

/** Lists the deliveries of events with a trace id, newest first. */
export function listDeliveriesByTrace(db: Database, trace_id: string, limit: number): DeliveryRow[] {
  const query = `SELECT ${columns} FROM ${joined} WHERE e.trace_id = ? ORDER BY d.seq DESC LIMIT ?`
  return sql<DeliveryRow>(db, query).all(trace_id, limit)
}

/** Returns the newest events, at most `limit`, oldest first. */
export function findLastEvents(db: Database, limit: number): EventRow[] {
  const query = `SELECT id AS event_id, type, trace_id, created_at, data, sealed_data FROM
     (SELECT * FROM event ORDER BY seq DESC LIMIT ?) ORDER BY seq`
  return sql<EventRow>(db, query).all(limit)
}

/** Lists up to `limit` deliveries of a webhook, newest first. If `before` is set, lists only row numbers below it. */
export function listDeliveries(
  db: Database,
  webhook: number,
  limit: number,
  before: number | null,
): DeliveryRow[] {
  const query = `SELECT ${columns} FROM ${joined}
     WHERE d.webhook = @webhook AND d.seq < @before ORDER BY d.seq DESC LIMIT @limit`
  return sql<DeliveryRow>(db, query).all({ webhook, before: before ?? Number.MAX_SAFE_INTEGER, limit })
}

/** Lists the attempts of a delivery, in order. */
export function listAttempts(db: Database, delivery: number): AttemptRow[] {
  const query =
    'SELECT id, at, duration_ms, status, failure, answer FROM delivery_attempt WHERE delivery = ? ORDER BY seq'
  return sql<AttemptRow>(db, query).all(delivery)
}

export function insertAttempt(db: Database, delivery: number, row: AttemptRow): void {
  const statement = `INSERT INTO delivery_attempt (id, delivery, at, duration_ms, status, failure, answer)
     VALUES (?, ?, ?, ?, ?, ?, ?)`
  sql(db, statement).run(row.id, delivery, row.at, row.duration_ms, row.status, row.failure, row.answer)
}

/** Ends a pending delivery. Returns whether it was still pending. */
export function endDelivery(
  db: Database,
  { seq, webhook }: Pick<DeliveryRow, 'seq' | 'webhook'>,
  state: Exclude<DeliveryState, 'waiting'>,
  now: number,
): boolean {
  const statement =
    "UPDATE delivery SET state = ?, next_at = NULL, ended_at = ? WHERE seq = ? AND state = 'waiting'"
  const { changes } = sql(db, statement).run(state, now, seq)
  if (changes > 0) sql(db, 'UPDATE webhook SET waiting = waiting - 1 WHERE seq = ?').run(webhook)
  return changes > 0
}

/** Postpones a rejected delivery until `next_at`. Later deliveries do not wait for it. */
export function postponeDelivery(db: Database, seq: number, refusals: number, next_at: number): void {
  sql(db, 'UPDATE delivery SET refusals = ?, next_at = ? WHERE seq = ?').run(refusals, next_at, seq)
}

/** Adds to the number of events that a webhook will never receive, and stores the reason. */
export function countDropped(db: Database, webhook: number, reason: string, now: number, count = 1): void {
  const statement =
    'UPDATE webhook SET dropped = dropped + ?, dropped_at = ?, dropped_reason = ? WHERE seq = ?'
  sql(db, statement).run(count, now, reason, webhook)
}

/** The state that decides when a webhook's deliveries are sent. */
export type DeliveryTarget = {
  readonly seq: number
  readonly status: 'enabled' | 'disabled'
  readonly paused_until: number | null
  readonly failures: number
  readonly unreached: number
}

/** Lists the webhooks with pending deliveries. */
export function listWebhooksWithPending(db: Database): DeliveryTarget[] {
  const query =
    'SELECT seq, status, paused_until, failures, unreached FROM webhook WHERE waiting > 0 ORDER BY seq'
  return sql<DeliveryTarget>(db, query).all()
}

export function findDeliveryTarget(db: Database, seq: number): DeliveryTarget | undefined {
  const query = 'SELECT seq, status, paused_until, failures, unreached FROM webhook WHERE seq = ?'
  return sql<DeliveryTarget>(db, query).get(seq)
}

/**
 * Finds the postponed delivery that is due first, and when it is due. Looks only at deliveries that the owner requested
 * if `by_owner` is 1, and only at the others if it is 0.
 */
export function findFirstRetry(
  db: Database,
  webhook: number,
  by_owner: 0 | 1,
): { seq: number; next_at: number } | undefined {
  const query = `SELECT seq, next_at FROM delivery WHERE webhook = ? AND by_owner = ? AND state = 'waiting' AND next_at IS NOT NULL
     ORDER BY next_at LIMIT 1`
  return sql<{ seq: number; next_at: number }>(db, query).get(webhook, by_owner)
}

/** Finds the oldest pending delivery that is not postponed. `after` is the row number of the last one sent. */
export function findNextInOrder(db: Database, webhook: number, after: number): number | undefined {
  const query = `SELECT seq FROM delivery WHERE webhook = ? AND seq > ? AND state = 'waiting' AND next_at IS NULL
     ORDER BY seq LIMIT 1`
  return sql<number>(db, query).pluck().get(webhook, after)
}

/** Records that a webhook was reached, so its pending deliveries are due. */
export function recordSuccess(db: Database, webhook: number, at: number): void {
  const statement =
    'UPDATE webhook SET failures = 0, unreached = 0, paused_until = NULL, last_success_at = ? WHERE seq = ?'
  sql(db, statement).run(at, webhook)
}

/** Records a failed attempt, and the time until which the webhook gets no deliveries. */
export function recordFailure(
  db: Database,
  webhook: number,
  to: {
    readonly failures: number
    readonly unreached: number
    readonly paused_until: number | null
    readonly at: number
    readonly failure: string
  },
): void {
  const statement = `UPDATE webhook SET failures = @failures, unreached = @unreached, paused_until = @paused_until,
     last_failure_at = @at, last_failure = @failure WHERE seq = @webhook`
  sql(db, statement).run({ ...to, webhook })
}

export function disableWebhook(db: Database, webhook: number, reason: string): void {
  sql(db, "UPDATE webhook SET status = 'disabled', disabled_reason = ? WHERE seq = ?").run(reason, webhook)
}

/** The maximum number of completed deliveries that stay stored (rule W-04). */
const MAX_ENDED_DELIVERIES = 20_000
const TOO_OLD = 'not delivered within 7 days'

/**
 * Deletes up to `limit` deliveries with their attempts and events: those of events before `since`, those of deleted
 * webhooks, and all completed ones but the newest 20,000 (rule W-04). Because the clock may be wrong, a delivery that
 * was never attempted is not deleted, unless its webhook is disabled (rule W-02). Returns how many were deleted.
 */
export function deleteOldDeliveries(
  db: Database,
  { since, now }: { readonly since: number; readonly now: number },
  limit: number,
): number {
  const old = [...findFirstAttempted(db, limit), ...findOfDisabledWebhooks(db, limit)]
  const some = [
    ...old.filter(({ created_at }) => created_at <= since),
    ...findOfDeletedWebhooks(db, limit),
    ...findBeyondLimit(db, limit),
  ]
  const all = [...new Map(some.map((each) => [each.seq, each])).values()].slice(0, limit)
  for (const each of all) deleteDelivery(db, each, now)
  if (all.length > 0) recordBulkChange(db, 'delivery', 'deleted')
  return all.length
}

type SweptDelivery = { seq: number; webhook: number; event: number; state: DeliveryState; created_at: number }

/**
 * Finds the deliveries with the oldest attempts, which include the oldest completed ones, because every completed
 * delivery has at least one attempt.
 */
function findFirstAttempted(db: Database, limit: number): SweptDelivery[] {
  const query = `SELECT d.seq, d.webhook, d.event, d.state, e.created_at
     FROM (SELECT delivery FROM delivery_attempt ORDER BY seq LIMIT ?) a
     JOIN delivery d ON d.seq = a.delivery JOIN event e ON e.seq = d.event`
  return sql<SweptDelivery>(db, query).all(limit)
}

/** The oldest pending deliveries of each disabled webhook, except those that the owner requested. */
function findOfDisabledWebhooks(db: Database, limit: number): SweptDelivery[] {
  const disabled = sql<number>(db, "SELECT seq FROM webhook WHERE status = 'disabled' AND waiting > 0")
    .pluck()
    .all()
  return disabled.flatMap((webhook) =>
    sql<SweptDelivery>(
      db,
      `SELECT d.seq, d.webhook, d.event, d.state, e.created_at FROM delivery d JOIN event e ON e.seq = d.event
         WHERE d.webhook = ? AND d.state = 'waiting' AND d.next_at IS NULL ORDER BY d.seq LIMIT ?`,
    ).all(webhook, limit),
  )
}

function findOfDeletedWebhooks(db: Database, limit: number): SweptDelivery[] {
  const query = `WITH RECURSIVE each (webhook) AS (
       SELECT min(webhook) FROM delivery
       UNION ALL
       SELECT (SELECT min(delivery.webhook) FROM delivery WHERE delivery.webhook > each.webhook) FROM each
       WHERE each.webhook IS NOT NULL
     )
     SELECT webhook FROM each WHERE webhook IS NOT NULL AND webhook NOT IN (SELECT seq FROM webhook)`
  const deleted = sql<number>(db, query).pluck().all()
  return deleted.flatMap((webhook) =>
    sql<SweptDelivery>(
      db,
      'SELECT seq, webhook, event, state, 0 AS created_at FROM delivery WHERE webhook = ? ORDER BY seq LIMIT ?',
    ).all(webhook, limit),
  )
}

function findBeyondLimit(db: Database, limit: number): SweptDelivery[] {
  const ended = Number(sql(db, "SELECT count(*) FROM delivery WHERE state <> 'waiting'").pluck().get())
  if (ended <= MAX_ENDED_DELIVERIES) return []
  return sql<SweptDelivery>(
    db,
    `SELECT seq, webhook, event, state, 0 AS created_at FROM delivery WHERE state <> 'waiting' ORDER BY seq LIMIT ?`,
  ).all(Math.min(limit, ended - MAX_ENDED_DELIVERIES))
}

function deleteDelivery(db: Database, { seq, webhook, event, state }: SweptDelivery, now: number): void {
  if (state === 'waiting' && endDelivery(db, { seq, webhook }, 'given_up', now)) {
    countDropped(db, webhook, TOO_OLD, now)
  }
  sql(db, 'DELETE FROM delivery_attempt WHERE delivery = ?').run(seq)
  sql(db, 'DELETE FROM delivery WHERE seq = ?').run(seq)
  // Events stored for tests are limited by their number instead.
  if (isStoringAllEvents(db)) return
  sql(db, 'DELETE FROM event WHERE seq = ? AND NOT EXISTS (SELECT 1 FROM delivery WHERE event = ?)').run(
    event,
    event,
  )
}
