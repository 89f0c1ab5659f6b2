import type { ClockAhead } from '../../shared/clock-ahead.ts'
import { recordCommit } from './db/commit-count.ts'
import { toCofferError } from './db/storage-error.ts'
import type { Outcomes } from './outcomes.ts'
import type { EngineParts } from './parts.ts'

/** Whether the clock can be trusted, because a wrong one must not delete data (case X-45). */
export class EngineClock {
  readonly #parts: EngineParts
  readonly #outcomes: Outcomes

  constructor(parts: EngineParts, outcomes: Outcomes) {
    this.#parts = parts
    this.#outcomes = outcomes
  }

  /** The data that is not deleted until the owner confirms the clock, as of the latest sweep; null if there is none. */
  get ahead(): ClockAhead | null {
    return this.#parts.sweeper.clockAhead
  }

  /** Whether expired data must not be deleted, because the clock is far ahead and may be wrong. */
  get isFarAhead(): boolean {
    const { isClosed, clock } = this.#parts.file
    return !isClosed && clock.isFarAhead
  }

  /**
   * Accepts a clock that is far ahead, and deletes the overdue data. Does nothing if the clock is not far ahead.
   * Throws `locked`, `storage_full`, `unavailable`.
   */
  acceptTime(): void {
    const { file, sweeper } = this.#parts
    file.assertOpen()
    if (!file.clock.isFarAhead) return
    try {
      file.assertSynced()
      file.db.transaction(() => file.clock.acceptTime()).immediate()
      recordCommit(file.db)
    } catch (error) {
      throw toCofferError(error)
    }
    this.#outcomes.recordMaintenance('vault.acceptClock', 'owner')
    sweeper.resume()
  }
}
