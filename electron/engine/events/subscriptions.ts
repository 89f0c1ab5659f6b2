import { type EventType, isEventType } from '../../../shared/webhook-events.ts'
import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'

/** The `seq` of the webhooks that subscribe to each event type. */
type WebhooksByEventType = ReadonlyMap<EventType, readonly number[]>

const subscribers = new WeakMap<Database, WebhooksByEventType>()

function getSubscribers(db: Database): WebhooksByEventType {
  let all = subscribers.get(db)
  if (!all) {
    all = readSubscribers(db)
    subscribers.set(db, all)
  }
  return all
}

function readSubscribers(db: Database): WebhooksByEventType {
  const query = "SELECT seq, events FROM webhook WHERE status = 'enabled'"
  const rows = sql<{ seq: number; events: string }>(db, query).all()
  const all = new Map<EventType, number[]>()
  for (const { seq, events } of rows) {
    for (const type of JSON.parse(events) as string[]) {
      if (isEventType(type)) all.set(type, [...(all.get(type) ?? []), seq])
    }
  }
  return all
}

/** The databases of in-memory vaults that store every event, for tests. */
const storingAll = new WeakSet<Database>()

/** Stores every event from now on, with or without a subscriber. */
export function storeAllEvents(db: Database): void {
  storingAll.add(db)
}

/** Whether every event is stored. */
export function isStoringAllEvents(db: Database): boolean {
  return storingAll.has(db)
}

/** Whether an enabled webhook, or a test, subscribes to a type of event. If not, none is computed or written. */
export function hasSubscribers(db: Database, type: EventType): boolean {
  return storingAll.has(db) || getSubscribers(db).has(type)
}

/** Returns the `seq` of the enabled webhooks that subscribe to events of a type. */
export function getSubscribedWebhooks(db: Database, type: EventType): readonly number[] {
  return getSubscribers(db).get(type) ?? []
}

/** Drops the cached subscriptions, because webhooks changed or a change was rolled back. */
export function invalidateSubscribers(db: Database): void {
  subscribers.delete(db)
}
