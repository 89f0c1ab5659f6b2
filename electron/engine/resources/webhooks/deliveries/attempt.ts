import { randomUUID } from 'node:crypto'
import { formatCount } from '../../../../../shared/format-count.ts'
import type { Keyring } from '../../../crypto/keyring.ts'
import { recordBulkChange, recordChange } from '../../../db/changes.ts'
import type { Database } from '../../../db/open.ts'
import { invalidateSubscribers } from '../../../events/subscriptions.ts'
import {
  countDropped,
  type DeliveryRow,
  disableWebhook,
  endDelivery,
  findDelivery,
  findDeliveryTarget,
  insertAttempt,
  postponeDelivery,
  recordFailure,
  recordSuccess,
} from './store.ts'

/** One attempt to send a delivery. */
export type AttemptResult = {
  /** When the attempt started, in epoch ms. */
  readonly at: number
  readonly duration_ms: number
  /** The status of the response; null if there was no response. */
  readonly status: number | null
  /** Why the attempt failed; null if it succeeded, or its status tells. SECURITY: never the response body. */
  readonly failure: string | null
  /** The first 4 KiB of the response body. */
  readonly answer: Buffer
}

export const RESPONSE_LABEL = 'answer'
const MAX_RESPONSE_BYTES = 4096
const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
/** How long to wait between attempts (rule W-02). */
const retryDelaysMs = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
] as const
/**
 * Returns whether a time is in the future (both in epoch ms). A time further ahead than the longest delay was stored
 * while the clock was wrong, so it does not count as the future (case X-45).
 */
export function isAhead(at: number, now: number): boolean {
  return at > now && at <= now + retryDelaysMs[5]
}

/** A webhook is disabled after this many consecutive failures (rule W-02). */
const MAX_FAILURES = 100
/** Statuses that mean the target was not reached, such as those of a gateway. */
const unreachedStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

/** Whether an attempt was acknowledged with a 2xx status. */
export function isDelivered({ status, failure }: AttemptResult): boolean {
  return failure === null && status !== null && status >= 200 && status < 300
}

/**
 * Stores an attempt inside the caller's transaction, and decides what follows (rule W-02). If a target cannot be
 * reached, its deliveries pause for a while and then continue in order. If a target rejects an event, the following
 * events are still sent, and the rejected one is retried later, up to seven attempts in all. Does nothing for a
 * delivery that has ended or was deleted.
 */
export function storeAttempt(
  db: Database,
  keyring: Keyring,
  delivery: number,
  attempt: AttemptResult,
  now: number,
): void {
  const row = findDelivery(db, delivery)
  if (row?.state !== 'waiting') return
  const id = randomUUID()
  const body = attempt.answer.subarray(0, MAX_RESPONSE_BYTES)
  insertAttempt(db, delivery, {
    id,
    at: attempt.at,
    duration_ms: Math.round(attempt.duration_ms),
    status: attempt.status,
    failure: isDelivered(attempt) ? null : describeFailure(attempt),
    answer: body.length === 0 ? null : keyring.sealValue(body.toString('latin1'), id, RESPONSE_LABEL),
  })
  recordBulkChange(db, 'delivery', 'updated')
  recordChange(db, 'webhook', 'updated', row.webhook_id)
  if (isDelivered(attempt)) {
    endDelivery(db, row, 'delivered', now)
    recordSuccess(db, row.webhook, now)
  } else {
    storeFailure(db, row, attempt, now)
  }
}

function storeFailure(db: Database, row: DeliveryRow, attempt: AttemptResult, now: number): void {
  const before = findDeliveryTarget(db, row.webhook)
  if (!before) return
  const failure = describeFailure(attempt)
  if (row.by_owner === 1) {
    endDelivery(db, row, 'given_up', now)
    recordFailure(db, row.webhook, { ...before, at: now, failure })
    return
  }
  const failures = before.failures + 1
  if (attempt.status === null || unreachedStatuses.has(attempt.status)) {
    const paused_until = now + getRetryDelay(before.unreached)
    recordFailure(db, row.webhook, {
      failures,
      unreached: before.unreached + 1,
      paused_until,
      at: now,
      failure,
    })
  } else {
    recordFailure(db, row.webhook, { failures, unreached: 0, paused_until: null, at: now, failure })
    const delay = retryDelaysMs[row.refusals]
    if (delay === undefined) {
      endDelivery(db, row, 'given_up', now)
      countDropped(
        db,
        row.webhook,
        `rejected ${formatCount(row.refusals + 1, 'time')}, last: ${failure}`,
        now,
      )
    } else postponeDelivery(db, row.seq, row.refusals + 1, now + delay)
  }
  if (failures < MAX_FAILURES || before.status === 'disabled') return
  disableWebhook(db, row.webhook, `${MAX_FAILURES} attempts in a row failed, the last one: ${failure}`)
  invalidateSubscribers(db)
}

function getRetryDelay(failures: number): number {
  return retryDelaysMs[Math.min(failures, retryDelaysMs.length - 1)] as number
}

function describeFailure({ status, failure }: AttemptResult): string {
  return failure ?? (status === null ? 'no response' : `the response had status ${status}`)
}
