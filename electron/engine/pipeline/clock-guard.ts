import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'

/** How far the clock may be ahead of the last seen time before it counts as possibly wrong. */
const MAX_AHEAD_MS = 7 * 24 * 60 * 60 * 1000
/** How far the stored time may lag behind the clock. A larger lag means fewer writes. */
const MAX_LAG_MS = 60 * 60 * 1000

type ClockGuardDeps = {
  readonly db: Database
  /** The clock, in epoch ms. */
  readonly now: () => number
  /** Whether this is an in-memory vault, for which the clock is always trusted, because tests change it. */
  readonly ephemeral: boolean
}

/**
 * Stores, in the vault's file, the latest time that the vault has seen. While the clock is far ahead of that time,
 * nothing may be deleted because of its age (case X-45).
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

  /** Whether the clock is over seven days ahead of the last seen time. SECURITY: then, no expired data is deleted. */
  get isFarAhead(): boolean {
    const { ephemeral, now } = this.#deps
    return !ephemeral && now() - this.lastSeen > MAX_AHEAD_MS
  }

  /** Trusts the clock: stores its time as the last seen time, inside the caller's transaction. */
  acceptTime(): void {
    const { db, now } = this.#deps
    const at = now()
    if (at - this.lastSeen >= MAX_LAG_MS) sql(db, 'UPDATE seen_clock SET at = ?').run(at)
  }
}

/** Stores the creation time of a new vault as its last seen time, in epoch ms. */
export function insertClockRow(db: Database, now: number): void {
  sql(db, 'INSERT INTO seen_clock (at) VALUES (?)').run(now)
}
