import { type EventType, isEventType } from '../../../shared/webhook-events.ts'
import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'

/** The webhooks that want events of a type, by their places in the table. */
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
  const rows = sql(db, "SELECT seq, events FROM webhook WHERE status = 'enabled'").all()
  const all = new Map<EventType, number[]>()
  for (const { seq, events } of rows as { seq: number; events: string }[]) {
    for (const type of JSON.parse(events) as string[]) {
      if (isEventType(type)) all.set(type, [...(all.get(type) ?? []), seq])
    }
  }
  return all
}

/** The files of vaults in memory whose tests ask for every event. */
const storingAll = new WeakSet<Database>()

/** Writes every event from now on, whether or not a webhook wants it. */
export function storeAllEvents(db: Database): void {
  storingAll.add(db)
}

/** Whether every event is written. */
export function isStoringAllEvents(db: Database): boolean {
  return storingAll.has(db)
}

/** Whether an enabled webhook, or a test, wants events of a type: otherwise nothing is computed or written. */
export function hasSubscribers(db: Database, type: EventType): boolean {
  return storingAll.has(db) || getSubscribers(db).has(type)
}

/** The enabled webhooks that want events of a type, by their places in the table. */
export function getSubscribedWebhooks(db: Database, type: EventType): readonly number[] {
  return getSubscribers(db).get(type) ?? []
}

/** Reads anew what is wanted, because webhooks changed or a change was rolled back. */
export function invalidateSubscribers(db: Database): void {
  subscribers.delete(db)
}
