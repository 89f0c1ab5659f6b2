import { type EventType, isEventType } from '../../../shared/webhook-events.ts'
import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'

/** The webhooks that want events of a type, by their places in the table. */
type Wanted = ReadonlyMap<EventType, readonly number[]>

const wanted = new WeakMap<Database, Wanted>()

function wantedIn(db: Database): Wanted {
  let all = wanted.get(db)
  if (!all) {
    all = readWanted(db)
    wanted.set(db, all)
  }
  return all
}

function readWanted(db: Database): Wanted {
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
const keeping = new WeakSet<Database>()

/** Writes every event from now on, whether or not a webhook wants it. */
export function keepEvents(db: Database): void {
  keeping.add(db)
}

/** Whether every event is written. */
export function keepsEvents(db: Database): boolean {
  return keeping.has(db)
}

/** Whether an enabled webhook, or a test, wants events of a type: otherwise nothing is computed or written. */
export function isWanted(db: Database, type: EventType): boolean {
  return keeping.has(db) || wantedIn(db).has(type)
}

/** The enabled webhooks that want events of a type, by their places in the table. */
export function webhooksWanting(db: Database, type: EventType): readonly number[] {
  return wantedIn(db).get(type) ?? []
}

/** Reads anew what is wanted, because webhooks changed or a change was rolled back. */
export function forgetWanted(db: Database): void {
  wanted.delete(db)
}
