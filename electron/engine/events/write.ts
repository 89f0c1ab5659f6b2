import { randomUUID } from 'node:crypto'
import type { EventType } from '../../../shared/webhook-events.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { recordBulkChange } from '../db/changes.ts'
import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'
import type { RecordEvents } from './event.ts'
import { getSubscribedWebhooks, isStoringAllEvents } from './subscriptions.ts'

/** The maximum number of pending deliveries per webhook: more events are counted and dropped (rule W-05). */
const MAX_PENDING_DELIVERIES = 250_000

/** The maximum number of stored events without a delivery. Only vaults used for tests store such events. */
export const MAX_STORED_EVENTS = 5000

/** SECURITY: these events contain strings from other programs, so they are sealed like exchanges and responses. */
const sealedEventTypes: ReadonlySet<EventType> = new Set(['proxy.invoked', 'reactor.failed', 'http.request'])

export const EVENT_LABEL = 'event'

/**
 * Writes events with a delivery for each subscribed webhook, inside the caller's transaction (rule W-02).
 * SECURITY: pass `trace_id` as the log stores it, because callers choose it.
 */
export function writeEvents(db: Database, keyring: Keyring, all: readonly RecordEvents[]): void {
  const quotas = new Map<number, DeliveryQuota>()
  for (const { at, trace_id, events } of all) {
    for (const { type, data, to } of events) {
      const webhooks = getSubscribedWebhooks(db, type)
        // A record may be written after later calls, but a webhook must not get events from before its
        // subscription.
        .filter((webhook) => to?.includes(webhook) ?? true)
        .filter((webhook) => getQuota(db, quotas, webhook).takeSlot(at))
      if (webhooks.length === 0 && !isStoringAllEvents(db)) continue
      const event = insertEvent(db, keyring, { type, trace_id, at, data: JSON.stringify(data) })
      for (const webhook of webhooks) insertDelivery(db, webhook, event, null)
    }
  }
  for (const [webhook, quota] of quotas) quota.writeCounts(db, webhook)
  if (isStoringAllEvents(db)) deleteOldest(db)
  if (quotas.size > 0) recordBulkChange(db, 'delivery', 'created')
}

/** Deletes the oldest events that are stored only for tests. */
function deleteOldest(db: Database): void {
  const statement = `DELETE FROM event WHERE seq <= (SELECT max(seq) FROM event) - ?
     AND NOT EXISTS (SELECT 1 FROM delivery WHERE event = event.seq)`
  sql(db, statement).run(MAX_STORED_EVENTS)
}

type NewEvent = {
  readonly type: EventType
  readonly trace_id: string
  readonly at: number
  readonly data: string
}

/** Stores an event and returns its `seq`. */
export function insertEvent(db: Database, keyring: Keyring, { type, trace_id, at, data }: NewEvent): number {
  const id = randomUUID()
  const isSealed = sealedEventTypes.has(type)
  const statement =
    'INSERT INTO event (id, type, trace_id, created_at, data, sealed_data) VALUES (?, ?, ?, ?, ?, ?)'
  const { lastInsertRowid } = sql(db, statement).run(
    id,
    type,
    trace_id,
    at,
    isSealed ? null : data,
    isSealed ? keyring.sealValue(data, id, EVENT_LABEL) : null,
  )
  return Number(lastInsertRowid)
}

/**
 * Stores a delivery and returns its `seq`. `by_owner_at` is the time at which the owner requested it; such a
 * delivery does not wait for others.
 */
export function insertDelivery(
  db: Database,
  webhook: number,
  event: number,
  by_owner_at: number | null,
): number {
  const { lastInsertRowid } = sql(
    db,
    'INSERT INTO delivery (webhook, event, by_owner, next_at) VALUES (?, ?, ?, ?)',
  ).run(webhook, event, by_owner_at === null ? 0 : 1, by_owner_at)
  return Number(lastInsertRowid)
}

function getQuota(db: Database, quotas: Map<number, DeliveryQuota>, webhook: number): DeliveryQuota {
  let quota = quotas.get(webhook)
  if (!quota) {
    quota = new DeliveryQuota(
      Number(sql(db, 'SELECT waiting FROM webhook WHERE seq = ?').pluck().get(webhook)),
    )
    quotas.set(webhook, quota)
  }
  return quota
}

/** The remaining pending deliveries of a webhook, and how many were dropped because there were too many. */
class DeliveryQuota {
  readonly #pendingBefore: number
  #added = 0
  #dropped = 0
  #dropped_at = 0

  constructor(pendingBefore: number) {
    this.#pendingBefore = pendingBefore
  }

  takeSlot(at: number): boolean {
    if (this.#pendingBefore + this.#added < MAX_PENDING_DELIVERIES) {
      this.#added++
      return true
    }
    this.#dropped++
    this.#dropped_at = at
    return false
  }

  writeCounts(db: Database, webhook: number): void {
    if (this.#added > 0)
      sql(db, 'UPDATE webhook SET waiting = waiting + ? WHERE seq = ?').run(this.#added, webhook)
    if (this.#dropped > 0)
      sql(
        db,
        `UPDATE webhook SET dropped = dropped + ?, dropped_at = ?, dropped_reason = 'too many waiting' WHERE seq = ?`,
      ).run(this.#dropped, this.#dropped_at, webhook)
  }
}
