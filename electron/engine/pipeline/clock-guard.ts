import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'

/** A clock that is further ahead of the last seen time may be wrong. */
const MAX_AHEAD_MS = 7 * 24 * 60 * 60 * 1000
/** How far the stored time may lag behind, so that it is rarely written. */
const MAX_LAG_MS = 60 * 60 * 1000

type ClockGuardDeps = {
  readonly db: Database
  /** The clock, in epoch ms. */
  readonly now: () => number
  /** Tests move the clock of an in-memory vault, so it is always trusted. */
  readonly ephemeral: boolean
}

/**
 * The latest time that a vault has seen, stored in its file. While the clock is far ahead of it, nothing may be
 * deleted because of its age (case X-45).
 */
export class ClockGuard {
  readonly #deps: ClockGuardDeps

  constructor(deps: ClockGuardDeps) {
    this.#deps = deps
  }

  /** The latest time seen, up to an hour old, in epoch ms. */
  get lastSeen(): number {
    const row = sql(this.#deps.db, 'SELECT at FROM seen_clock').get() as { at: number } | undefined
    return row?.at ?? 0
  }

  /**
   * Whether the clock is more than seven days ahead of the last seen time. SECURITY: while it is, nothing that
   * has expired is deleted.
   */
  get isFarAhead(): boolean {
    const { ephemeral, now } = this.#deps
    return !ephemeral && now() - this.lastSeen > MAX_AHEAD_MS
  }

  /** Trusts the clock: stores its time as the last seen, inside the caller's transaction. */
  acceptTime(): void {
    const { db, now } = this.#deps
    const at = now()
    if (at - this.lastSeen >= MAX_LAG_MS) sql(db, 'UPDATE seen_clock SET at = ?').run(at)
  }
}

/** Stores the first seen time of a new vault. */
export function insertClockRow(db: Database, now: number): void {
  sql(db, 'INSERT INTO seen_clock (at) VALUES (?)').run(now)
}
