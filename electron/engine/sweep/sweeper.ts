import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { ClockAhead } from '../../../shared/clock-ahead.ts'
import { insertLog, type LogRecord } from '../pipeline/records.ts'
import { createMaintenanceRecord } from '../pipeline/system-records.ts'
import { type DeliverCommit, runInTransaction } from '../pipeline/transaction.ts'
import type { VaultFile } from '../pipeline/vault-file.ts'
import { removeLooseChunks } from '../resources/documents/loose-chunks.ts'
import { countOverdue } from './overdue.ts'
import { shrinkFile } from './shrink-file.ts'
import { sweepBatch, trimLog } from './sweep-batch.ts'

const SWEEP_INTERVAL_MS = 60_000
const DAY_MS = 24 * 60 * 60 * 1000

/** Sweeps every minute, in batches, so that calls run between them (rule T-14). */
export class Sweeper {
  readonly #file: VaultFile
  readonly #deliver: DeliverCommit
  readonly #onClock: () => void
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null
  #stopped = false
  #clockAhead: ClockAhead | null = null

  constructor(file: VaultFile, deliver: DeliverCommit, onClock: () => void = () => {}) {
    this.#file = file
    this.#deliver = deliver
    this.#onClock = onClock
  }

  /**
   * Sweeps immediately, and then every minute. If a sweep fails, the next one tries again. Reads ignore expired data
   * even before it is deleted.
   */
  start(): void {
    const runSweep = () => void this.sweep().catch((error) => this.#file.reportIncident(error, 'sweep'))
    this.#timer ??= setInterval(runSweep, SWEEP_INTERVAL_MS).unref()
    runSweep()
  }

  /** Deletes the overdue data once the owner has confirmed the clock. */
  resume(): void {
    this.#clockAhead = null
    this.#onClock()
    if (this.isStarted) this.start()
  }

  /** Sweeps soon, because there is new data to delete. Does nothing before `start` has been called. */
  requestSweep(): void {
    if (this.isStarted && !this.#stopped) setImmediate(() => this.start())
  }

  /** Whether `start` has been called. */
  get isStarted(): boolean {
    return this.#timer !== null
  }

  /**
   * The data that the latest sweep did not delete because the clock is far ahead; null if there is none (case X-45).
   */
  get clockAhead(): ClockAhead | null {
    return this.#clockAhead
  }

  /** Stops permanently, after the current batch. */
  stop(): void {
    this.#stopped = true
    if (this.#timer) clearInterval(this.#timer)
  }

  /** Sweeps until nothing is left to delete. If a sweep is already running, waits for that one. */
  sweep(): Promise<void> {
    this.#running ??= this.#sweepAll().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #sweepAll(): Promise<void> {
    if (this.#stopped || this.#file.hasPausedWrites) return
    this.#checkClock()
    while (!this.#stopped && this.#sweepBatch()) await turn()
    while (!this.#stopped && this.#file.isFree && this.#shrinkFile()) await turn()
  }

  /**
   * Stores the current time as last seen. If the clock is far ahead of the last seen time and something would be
   * deleted, stores nothing, because the owner must confirm the clock first (case X-45).
   */
  #checkClock(): void {
    const { db, settings, now, clock } = this.#file
    const at = now()
    const overdue = clock.isFarAhead ? countOverdue({ db, now: at, settings }) : null
    const ahead = overdue && { days: Math.floor((at - clock.lastSeen) / DAY_MS), overdue }
    const before = this.#clockAhead
    if (ahead === null) {
      this.#writeRecords(() => {
        clock.acceptTime()
        return []
      })
    } else if (before === null) {
      this.#writeRecords(() => [
        createMaintenanceRecord('vault.clockAhead', 'vault', { now: at, error: undefined, ms: 0 }),
      ])
    }
    this.#clockAhead = ahead
    if (JSON.stringify(ahead) !== JSON.stringify(before)) this.#onClock()
  }

  /** Deletes one batch. Returns whether there may be more to do. */
  #sweepBatch(): boolean {
    const { db, keyring, hasPausedWrites, isLost, settings, now, callers, clock } = this.#file
    if (hasPausedWrites || isLost) return false
    let more = false
    this.#writeRecords(() => {
      const sweep = { db, keyring, settings, now: now(), trace_id: randomUUID() }
      // SECURITY: a wrong clock must not delete anything permanently (case X-45).
      const swept = clock.isFarAhead ? { records: [], more: false } : sweepBatch(sweep)
      more = [swept.more, trimLog(sweep), removeLooseChunks(db)].includes(true)
      return swept.records
    })
    callers.invalidateActors()
    return more
  }

  #shrinkFile(): boolean {
    this.#file.assertSynced()
    return shrinkFile(this.#file.db)
  }

  /** Runs `write` in a transaction, together with the log records that it returns. */
  #writeRecords(write: () => readonly LogRecord[]): void {
    const { db, keyring } = this.#file
    this.#file.assertPresent()
    const written = runInTransaction(this.#file, () => {
      const records = insertLog(db, keyring, write())
      keyring.countSeals(db)
      return { records }
    })
    this.#deliver(written)
  }
}
