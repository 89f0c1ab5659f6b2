import type { Keyring } from '../crypto/keyring.ts'
import { noteCommit } from '../db/commit-count.ts'
import type { Database } from '../db/open.ts'
import type { VaultFile } from './vault-file.ts'

/** Between slices, other work gets its turn. */
const PAUSE_MS = 5

type Options = {
  /** Writes a slice inside a transaction. Returns whether there may be more to do. */
  readonly write: (db: Database, keyring: Keyring) => boolean
  /** How long what is new waits, so that a burst is indexed together. */
  readonly waitMs: number
  /** Where a failure is reported to have been. */
  readonly place: string
}

/** Indexes what is new a slice at a time, after pending calls have been answered. */
export class Indexer {
  readonly #file: VaultFile
  readonly #options: Options
  #timer: NodeJS.Timeout | null = null
  #stopped = false

  constructor(file: VaultFile, options: Options) {
    this.#file = file
    this.#options = options
  }

  /** Schedules indexing, if not yet scheduled. */
  wake(ms = this.#options.waitMs): void {
    if (this.#stopped) return
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      if (this.#writeSlice()) this.wake(PAUSE_MS)
    }, ms).unref()
  }

  /** Stops permanently. */
  stop(): void {
    this.#stopped = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  /** Returns whether there may be more to do. */
  #writeSlice(): boolean {
    const { db, keyring, isFree } = this.#file
    if (!isFree) return false
    const { write, place } = this.#options
    try {
      this.#file.assertPresent()
      const more = db.transaction(() => write(db, keyring)).immediate()
      noteCommit(db)
      return more
    } catch (error) {
      // A search reads what is not indexed, and whatever comes next tries again.
      this.#file.report(error, place)
      return false
    }
  }
}
