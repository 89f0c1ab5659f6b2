import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import {
  type ClockAhead,
  type ExpiringKind,
  MAX_COUNTED_OVERDUE,
  mapExpiring,
  type Overdue,
} from '../../../shared/clock-ahead.ts'
import type { TenantSettings } from '../../../shared/settings.ts'
import { recordCommit } from '../db/commit-count.ts'
import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'
import { insertLog, type LogRecord } from '../pipeline/records.ts'
import { createMaintenanceRecord } from '../pipeline/system-records.ts'
import { type DeliverCommit, runInTransaction } from '../pipeline/transaction.ts'
import type { VaultFile } from '../pipeline/vault-file.ts'
import { removeLooseChunks } from '../resources/documents/loose-chunks.ts'
import { sweepBatch, trimLog } from './sweep-batch.ts'

const DAY_MS = 24 * 60 * 60 * 1000

type SweepContext = { readonly db: Database; readonly now: number; readonly settings: TenantSettings }

/** The rows that are overdue at `@now`, if they are not those of the kind's own table with an earlier `expires_at`. */
const otherRows: Partial<Record<ExpiringKind, string>> = {
  cvc: `SELECT 1 FROM token WHERE cvc_stored_at <= @now - @cvcs
    UNION ALL SELECT 1 FROM token_intent WHERE cvc_stored_at <= @now - @cvcs`,
  application: 'SELECT 1 FROM application WHERE expires_at <= @now AND expires_at > 0',
  log: `SELECT 1 FROM log INDEXED BY log_by_type
    WHERE entity_type IN (SELECT entity_type FROM log_count) AND at < @now - @log`,
}

/**
 * Counts what a sweep would delete at this time, with at most `MAX_COUNTED_OVERDUE + 1` of each kind. Returns null
 * if it would delete nothing that the owner could miss.
 */
function countOverdue({ db, now, settings }: SweepContext): Overdue | null {
  const values = {
    now,
    cvcs: settings.cvc_retention_seconds * 1000,
    log: settings.log_retention_days * DAY_MS,
    limit: MAX_COUNTED_OVERDUE + 1,
  }
  const overdue = mapExpiring((kind) => {
    const rows = otherRows[kind] ?? `SELECT 1 FROM ${kind} WHERE expires_at <= @now`
    return sql<number>(db, `SELECT count(*) FROM (${rows} LIMIT @limit)`).pluck().get(values) ?? 0
  })
  return Object.values(overdue).some((count) => count > 0) ? overdue : null
}

/** Returns the earliest time after `now` at which something expires, in epoch ms; null if nothing does. */
function findNextExpiry({ db, now }: Pick<SweepContext, 'db' | 'now'>): number | null {
  const times = mapExpiring((kind) =>
    kind === 'cvc' || kind === 'log'
      ? null
      : sql<number | null>(db, `SELECT min(expires_at) FROM ${kind} WHERE expires_at > ?`).pluck().get(now),
  )
  const known = Object.values(times).filter((at): at is number => typeof at === 'number')
  return known.length === 0 ? null : Math.min(...known)
}

/** The number of free pages that stay in the file for the next writes. */
const SPARE_PAGES = 1024
/** The share of the file that may stay free. Freeing more would move pages that are soon needed again. */
const SPARE_PART = 0.25
const STEP_PAGES = 16
const STEP_MS = 10

/**
 * Frees some of the pages that large deletions left free, for about 10 ms at most, in a separate transaction. The
 * file becomes smaller at the next checkpoint of the write-ahead log. Returns whether there is more to do. The file
 * of an older version that was too large to be rewritten when it was opened keeps its size, because its pages
 * cannot be moved.
 */
function shrinkFile(db: Database): boolean {
  if (!isWasteful(db) || db.pragma('auto_vacuum', { simple: true }) !== 2) return false
  const started = performance.now()
  db.transaction(() => {
    do db.pragma(`incremental_vacuum(${STEP_PAGES})`)
    while (performance.now() - started < STEP_MS && isWasteful(db))
  }).immediate()
  const more = isWasteful(db)
  if (!more) db.pragma('wal_checkpoint(PASSIVE)')
  recordCommit(db)
  return more
}

function isWasteful(db: Database): boolean {
  const free = Number(db.pragma('freelist_count', { simple: true }))
  if (free <= SPARE_PAGES) return false
  return free > SPARE_PART * Number(db.pragma('page_count', { simple: true }))
}

const SWEEP_INTERVAL_MS = 60_000

/** Sweeps every minute, in batches, so that calls run between them (rule T-14). */
export class Sweeper {
  readonly #file: VaultFile
  readonly #deliver: DeliverCommit
  readonly #onClock: () => void
  readonly #openedAt: number
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null
  #stopped = false
  #clockAhead: ClockAhead | null = null

  constructor(file: VaultFile, deliver: DeliverCommit, onClock: () => void = () => {}) {
    this.#file = file
    this.#deliver = deliver
    this.#onClock = onClock
    this.#openedAt = file.now()
  }

  /** Sweeps now and every minute, even after a failure. Reads ignore expired data that is not deleted yet. */
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

  /** The data that the latest sweep kept because the clock is far ahead; null if there is none (case X-45). */
  get clockAhead(): ClockAhead | null {
    return this.#clockAhead
  }

  /** Returns the earliest time at which something will expire, in epoch ms; null if nothing will. */
  findNextExpiry(): number | null {
    const { db, now } = this.#file
    return findNextExpiry({ db, now: now() })
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
      const sweep = {
        ...{ db, keyring, settings, now: now(), trace_id: randomUUID() },
        opened_at: this.#openedAt,
      }
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
