import { randomUUID } from 'node:crypto'
import { counted } from '../../../../shared/counted.ts'
import type { Keyring } from '../../crypto/keyring.ts'
import { changed, changedUnnamed } from '../../db/changes.ts'
import type { Database } from '../../db/open.ts'
import { forgetWanted } from '../../events/wanted.ts'
import {
  countDropped,
  type DeliveryRow,
  disable,
  endDelivery,
  findDelivery,
  findTold,
  insertAttempt,
  noteFailure,
  noteSuccess,
  setAside,
} from './store.ts'

/** One attempt at a delivery. */
export type Attempt = {
  /** Epoch ms. */
  readonly at: number
  readonly duration_ms: number
  /** The status of the answer; null without one. */
  readonly status: number | null
  /** Why it failed; null where it succeeded, or where the status says it. SECURITY: a sentence, never a body. */
  readonly failure: string | null
  /** The first 4 KiB of the answer. */
  readonly answer: Buffer
}

export const ANSWER_LABEL = 'answer'
const MOST_ANSWER = 4096
const second = 1000
const minute = 60 * second
const hour = 60 * minute
/** How long after an attempt the next one follows (rule W-02). */
const after = [5 * second, 30 * second, 2 * minute, 10 * minute, hour, 6 * hour] as const
/**
 * Whether a time is still to come. One further ahead than any delay was written while the clock was wrong (case X-45).
 */
export function isAhead(at: number, now: number): boolean {
  return at > now && at <= now + after[5]
}

/** After so many failures in a row a webhook is disabled (rule W-02). */
const MOST_FAILURES = 100
/** Answers that say that nobody is there now, as those of a gateway do. */
const unreached: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

/** Whether an attempt was acknowledged: any 2xx. */
export function isDelivered({ status, failure }: Attempt): boolean {
  return failure === null && status !== null && status >= 200 && status < 300
}

/**
 * Stores an attempt inside the caller's transaction, and decides what follows (rule W-02). A target that nobody answers
 * for is left alone for a while, and keeps the order. One that refuses an event gets those behind it, and this one again
 * later, seven times in all. Does nothing for a delivery that has ended or is gone.
 */
export function storeAttempt(
  db: Database,
  keyring: Keyring,
  delivery: number,
  attempt: Attempt,
  now: number,
): void {
  const row = findDelivery(db, delivery)
  if (row?.state !== 'waiting') return
  const id = randomUUID()
  const answer = attempt.answer.subarray(0, MOST_ANSWER)
  insertAttempt(db, delivery, {
    id,
    at: attempt.at,
    duration_ms: Math.round(attempt.duration_ms),
    status: attempt.status,
    failure: isDelivered(attempt) ? null : failureOf(attempt),
    answer: answer.length === 0 ? null : keyring.sealValue(answer.toString('latin1'), id, ANSWER_LABEL),
  })
  changedUnnamed(db, 'delivery', 'updated')
  changed(db, 'webhook', 'updated', row.webhook_id)
  if (isDelivered(attempt)) {
    endDelivery(db, row, 'delivered', now)
    noteSuccess(db, row.webhook, now)
  } else {
    storeFailure(db, row, attempt, now)
  }
}

function storeFailure(db: Database, row: DeliveryRow, attempt: Attempt, now: number): void {
  const before = findTold(db, row.webhook)
  if (!before) return
  const failure = failureOf(attempt)
  if (row.by_owner === 1) {
    endDelivery(db, row, 'given_up', now)
    noteFailure(db, row.webhook, { ...before, at: now, failure })
    return
  }
  const failures = before.failures + 1
  if (attempt.status === null || unreached.has(attempt.status)) {
    const paused_until = now + delayAfter(before.unreached)
    noteFailure(db, row.webhook, {
      failures,
      unreached: before.unreached + 1,
      paused_until,
      at: now,
      failure,
    })
  } else {
    noteFailure(db, row.webhook, { failures, unreached: 0, paused_until: null, at: now, failure })
    const delay = after[row.refusals]
    if (delay === undefined) {
      endDelivery(db, row, 'given_up', now)
      countDropped(db, row.webhook, `refused ${counted(row.refusals + 1, 'time')}, last: ${failure}`, now)
    } else setAside(db, row.seq, row.refusals + 1, now + delay)
  }
  if (failures < MOST_FAILURES || before.status === 'disabled') return
  disable(db, row.webhook, `${MOST_FAILURES} attempts in a row failed, the last one: ${failure}`)
  forgetWanted(db)
}

function delayAfter(failures: number): number {
  return after[Math.min(failures, after.length - 1)] as number
}

function failureOf({ status, failure }: Attempt): string {
  return failure ?? (status === null ? 'there was no answer' : `it answered with status ${status}`)
}
