import { randomUUID } from 'node:crypto'
import type { EventType } from '../../../shared/webhook-events.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { recordBulkChange } from '../db/changes.ts'
import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'
import type { RecordEvents } from './event.ts'
import { getSubscribedWebhooks, isStoringAllEvents } from './subscriptions.ts'

/** How many deliveries may wait for one webhook: more events are counted as dropped, not kept (rule W-05). */
const MAX_PENDING_DELIVERIES = 250_000

/** How many events are kept for tests without a delivery. */
export const MAX_STORED_EVENTS = 5000

/** SECURITY: texts of other programs are in these, so they are sealed like an exchange or an answer. */
const sealedEventTypes: ReadonlySet<EventType> = new Set(['proxy.invoked', 'reactor.failed', 'http.request'])

export const EVENT_LABEL = 'event'

/**
 * Writes events with a delivery for each webhook that wants them, inside the caller's transaction (rule W-02). SECURITY:
 * `trace_id` as the log stores it, because callers choose it.
 */
export function writeEvents(db: Database, keyring: Keyring, all: readonly RecordEvents[]): void {
  const quotas = new Map<number, DeliveryQuota>()
  for (const { at, trace_id, events } of all) {
    for (const { type, data, to } of events) {
      const webhooks = getSubscribedWebhooks(db, type)
        // A record may be written a little later: a webhook is not told of what came before it.
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

/** Deletes the oldest of the events that are kept for tests alone. */
function deleteOldest(db: Database): void {
  sql(
    db,
    `DELETE FROM event WHERE seq <= (SELECT max(seq) FROM event) - ?
     AND NOT EXISTS (SELECT 1 FROM delivery WHERE event = event.seq)`,
  ).run(MAX_STORED_EVENTS)
}

type NewEvent = {
  readonly type: EventType
  readonly trace_id: string
  readonly at: number
  readonly data: string
}

/** Stores an event and returns its place. */
export function insertEvent(db: Database, keyring: Keyring, { type, trace_id, at, data }: NewEvent): number {
  const id = randomUUID()
  const isSealed = sealedEventTypes.has(type)
  const { lastInsertRowid } = sql(
    db,
    'INSERT INTO event (id, type, trace_id, created_at, data, sealed_data) VALUES (?, ?, ?, ?, ?, ?)',
  ).run(
    id,
    type,
    trace_id,
    at,
    isSealed ? null : data,
    isSealed ? keyring.sealValue(data, id, EVENT_LABEL) : null,
  )
  return Number(lastInsertRowid)
}

/** Stores a delivery and returns its place; `by_owner_at` is when the owner asked for it, who need not wait for others. */
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

/** How many more deliveries may wait for a webhook, and what was dropped for lack of room. */
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
