import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'

/** A clock that is further ahead of the latest time seen may be wrong. */
const FAR_MS = 7 * 24 * 60 * 60 * 1000
/** How far the stored time may lag behind, so that it is rarely written. */
const LAG_MS = 60 * 60 * 1000

type Parts = {
  readonly db: Database
  /** The clock, in epoch ms. */
  readonly now: () => number
  /** The clock of a vault in memory is moved by tests, and always believed. */
  readonly ephemeral: boolean
}

/**
 * The latest time a vault has seen, kept in its file. While the clock is far ahead of it, nothing may be deleted
 * because of the time (case X-45).
 */
export class SeenClock {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The latest time seen, up to an hour old, in epoch ms. */
  get seen(): number {
    const row = sql(this.#parts.db, 'SELECT at FROM seen_clock').get() as { at: number } | undefined
    return row?.at ?? 0
  }

  /** Whether the clock is more than seven days ahead of the latest time seen. SECURITY: nothing is deleted by it then. */
  get isFarAhead(): boolean {
    const { ephemeral, now } = this.#parts
    return !ephemeral && now() - this.seen > FAR_MS
  }

  /** Believes the clock: its time is the latest seen from now on, inside the caller's transaction. */
  believe(): void {
    const { db, now } = this.#parts
    const at = now()
    if (at - this.seen >= LAG_MS) sql(db, 'UPDATE seen_clock SET at = ?').run(at)
  }
}

/** Starts a new vault's record of the time. */
export function createSeenClock(db: Database, now: number): void {
  sql(db, 'INSERT INTO seen_clock (at) VALUES (?)').run(now)
}
