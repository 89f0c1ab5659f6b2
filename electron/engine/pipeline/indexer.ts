import type { Keyring } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import type { VaultFile } from './vault-file.ts'

/** The pause between slices, in ms, in which other calls run. */
const SLICE_DELAY_MS = 2

type IndexerOptions = {
  /** Writes one slice, of a millisecond or two, inside a transaction. Returns whether there may be more to do. */
  readonly write: (db: Database, keyring: Keyring) => boolean
  /** Called after a slice fails. */
  readonly onFailure?: () => void
  /** How long indexing waits after a new entry, in ms, so that a burst of entries is indexed together. */
  readonly waitMs: number
  /** The maximum time, in ms, by which further entries can postpone indexing; by default, they cannot. */
  readonly maxWaitMs?: number
  /** The name under which failures are reported. */
  readonly where: string
}

/** Indexes new entries in slices, so that calls run between them (rule R-03). */
export class Indexer {
  readonly #file: VaultFile
  readonly #options: IndexerOptions
  #timer: NodeJS.Timeout | null = null
  /** The time until which new entries can postpone indexing, on the clock of `performance.now`. */
  #until = 0
  #stopped = false

  constructor(file: VaultFile, options: IndexerOptions) {
    this.#file = file
    this.#options = options
  }

  /** Schedules indexing, or postpones it if it is already scheduled. */
  scheduleIndexing(): void {
    const { waitMs, maxWaitMs = 0 } = this.#options
    if (!this.#timer) {
      this.#until = performance.now() + maxWaitMs - waitMs
      this.#scheduleSlice(waitMs)
    } else if (performance.now() < this.#until) this.#timer.refresh()
  }

  #scheduleSlice(ms: number): void {
    if (this.#stopped) return
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = null
      // Once indexing has started, new entries do not postpone it.
      this.#until = 0
      this.#writeSlice()
    }, ms).unref()
  }

  stop(): void {
    this.#stopped = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  #writeSlice(): void {
    const { db, keyring, isFree, isCheckpointing, isSyncing } = this.#file
    if (!isFree) return
    if (isCheckpointing || isSyncing) {
      this.#scheduleSlice(SLICE_DELAY_MS)
      return
    }
    const { write } = this.#options
    try {
      this.#file.assertPresent()
      this.#file.assertSynced()
      this.#file.commitInBackground(
        () => db.transaction(() => write(db, keyring)).immediate(),
        (more, error) => {
          if (error) this.#onFailure(error)
          else if (more) this.#scheduleSlice(SLICE_DELAY_MS)
        },
      )
    } catch (error) {
      this.#onFailure(error)
    }
  }

  /** Needs no retry: a search reads unindexed entries directly, and the next new entry schedules an attempt. */
  #onFailure(error: unknown): void {
    const { where, onFailure } = this.#options
    onFailure?.()
    this.#file.reportIncident(error, where)
  }
}
