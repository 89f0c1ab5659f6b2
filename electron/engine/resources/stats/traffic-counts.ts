import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import { type Bucket, computePercentile, type Speed } from './traffic.ts'

/** A log record, as far as it counts as requests. */
export type LogRequestRow = {
  readonly seq: number
  readonly at: number
  readonly actor_type: string
  readonly entity_type: string
  readonly operation: string
  readonly status: number
  readonly duration_us: number
  /** The number of requests that the record represents. */
  readonly requests: number
}

/** The requests of one operation in one step of time. */
type Tally = {
  requests: number
  refused: number
  failed: number
  /** How often each duration occurred, in microseconds of two significant digits. */
  readonly durations: Map<number, number>
}

const MINUTE_MS = 60_000
/** How many steps a period has. It begins at the start of a step. */
const STEPS = 480
/** The maximum number of records read per call, so that its time does not depend on the size of the log. */
const MAX_RECORDS = 10_000
const columns = `seq, at, actor_type, entity_type, operation, status, duration_us,
  coalesce(detail ->> 'requests', 1) AS requests`

/**
 * The requests of a period, counted from the log once and then as its records are written. Records that retention
 * deletes stay counted.
 */
export class TrafficCounts {
  readonly #length: number
  readonly #step: number
  /** The counts by the number of the step, and by operation. */
  readonly #cells = new Map<number, Map<string, Tally>>()
  /** The records of these numbers and all between them are counted. */
  #counted: { newest: number; oldest: number; oldest_at: number } | null = null
  /** Whether all older records of the period are counted. */
  #isWhole = false
  /** Older records are not counted. */
  #since = 0

  constructor(minutes: number) {
    this.#length = minutes * MINUTE_MS
    this.#step = this.#length / STEPS
  }

  /** Counts further records: the new ones, then older ones. Returns whether the whole period is counted. */
  followLog(db: Database, now: number): boolean {
    const since = this.getSince(now)
    // The clock was set back, so older records count again.
    if (since < this.#since) {
      this.#counted = null
      this.#isWhole = false
    }
    this.#since = since
    const isKept = (cell: number) => this.#counted !== null && cell * this.#step >= since
    for (const cell of this.#cells.keys()) if (!isKept(cell)) this.#cells.delete(cell)
    const { newest = 0 } = this.#counted ?? {}
    if (this.#counted) {
      const query = `SELECT ${columns} FROM log WHERE seq > ? ORDER BY seq LIMIT ?`
      const rows = sql<LogRequestRow>(db, query).all(newest, MAX_RECORDS)
      this.addRecords(rows, since)
      this.#counted.newest = rows.at(-1)?.seq ?? newest
      if (rows.length === MAX_RECORDS) return false
    }
    if (!this.#isWhole) this.#readOlder(db, since)
    return this.#isWhole
  }

  #readOlder(db: Database, since: number): void {
    const query = `SELECT ${columns} FROM log WHERE seq < ? ORDER BY seq DESC LIMIT ?`
    const rows = sql<LogRequestRow>(db, query).all(
      this.#counted?.oldest ?? Number.MAX_SAFE_INTEGER,
      MAX_RECORDS,
    )
    this.addRecords(rows, since)
    const [first] = rows
    const last = rows.at(-1)
    if (first && last)
      this.#counted = { newest: this.#counted?.newest ?? first.seq, oldest: last.seq, oldest_at: last.at }
    this.#isWhole = rows.length < MAX_RECORDS || rows.every(({ at }) => at < since)
  }

  /** Counts the requests of programs in these records. */
  addRecords(rows: readonly LogRequestRow[], since: number): void {
    for (const { at, actor_type, entity_type, operation, status, duration_us, requests } of rows) {
      const isOwn = actor_type === 'owner' || actor_type === 'vault'
      const isLogRead = entity_type === 'log' && status < 400
      if (at < since || isOwn || isLogRead || requests <= 0) continue
      const tally = this.#getTally(Math.floor(at / this.#step), operation)
      tally.requests += requests
      if (status >= 500) tally.failed += requests
      else if (status >= 400) tally.refused += requests
      const duration = roundDuration(duration_us)
      tally.durations.set(duration, (tally.durations.get(duration) ?? 0) + 1)
    }
  }

  #getTally(cell: number, operation: string): Tally {
    const tallies = getOrCreate(this.#cells, cell, () => new Map<string, Tally>())
    return getOrCreate(tallies, operation, createTally)
  }

  /** The counts until now. Records have later times if the clock was set back. */
  #getCells(now: number) {
    return [...this.#cells].filter(([cell]) => cell * this.#step <= now)
  }

  /** The beginning of the period that ends now. */
  getSince(now: number): number {
    return Math.floor((now - this.#length) / this.#step) * this.#step
  }

  /** The beginning of the counted part of the period. */
  getCountedSince(now: number): number {
    const since = this.getSince(now)
    return this.#isWhole ? since : Math.max(since, this.#counted?.oldest_at ?? since)
  }

  /** The requests over time, in equal spans until `now`. */
  toBuckets(now: number, buckets: number): Bucket[] {
    const since = this.getSince(now)
    const length = (Math.max(now, since + 1) - since) / buckets
    const all = Array.from({ length: buckets }, (_, index) => ({
      at: Math.round(since + index * length),
      requests: 0,
      refused: 0,
      failed: 0,
    }))
    for (const [cell, tallies] of this.#getCells(now)) {
      const index = Math.floor((cell * this.#step - since) / length)
      const bucket = all[Math.min(buckets - 1, Math.max(0, index))]
      if (!bucket) continue
      for (const { requests, refused, failed } of tallies.values()) {
        bucket.requests += requests
        bucket.refused += refused
        bucket.failed += failed
      }
    }
    return all
  }

  /** How often each operation was called and how long it took, most frequent first. */
  measureSpeeds(now: number): Speed[] {
    const sums = new Map<string, Tally>()
    for (const [, tallies] of this.#getCells(now)) {
      for (const [operation, tally] of tallies) addTally(getOrCreate(sums, operation, createTally), tally)
    }
    return [...sums]
      .map(([operation, { requests, refused, failed, durations }]) => {
        const sorted = [...durations].sort(([a], [b]) => a - b)
        return {
          operation,
          requests,
          refused: refused + failed,
          p50_ms: computePercentile(sorted, 0.5) / 1000,
          p95_ms: computePercentile(sorted, 0.95) / 1000,
        }
      })
      .sort((a, b) => b.requests - a.requests || a.operation.localeCompare(b.operation))
  }
}

function createTally(): Tally {
  return { requests: 0, refused: 0, failed: 0, durations: new Map() }
}

function addTally(sum: Tally, { requests, refused, failed, durations }: Tally): void {
  sum.requests += requests
  sum.refused += refused
  sum.failed += failed
  for (const [duration, times] of durations)
    sum.durations.set(duration, (sum.durations.get(duration) ?? 0) + times)
}

function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const created = create()
  map.set(key, created)
  return created
}

/** Rounds to two significant digits, so that a period has few different durations. */
function roundDuration(us: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, us))) - 1)
  return Math.round(us / unit) * unit
}

const MAX_PERIODS = 4
type VaultCounts = { readonly opening: string; readonly periods: Map<number, TrafficCounts> }

const counts = new WeakMap<Database, VaultCounts>()

/** Returns the counts of a period, which one opening of a vault shares. A reset of the vault starts them anew. */
export function getTrafficCounts(db: Database, opening: string, minutes: number): TrafficCounts {
  const known = counts.get(db)
  const { periods } = known?.opening === opening ? known : { periods: new Map<number, TrafficCounts>() }
  if (known?.periods !== periods) counts.set(db, { opening, periods })
  // The window has three periods. More of them would only fill the memory.
  if (periods.size === MAX_PERIODS && !periods.has(minutes)) periods.clear()
  return getOrCreate(periods, minutes, () => new TrafficCounts(minutes))
}
