import { noteCommit } from '../../db/commit-count.ts'
import type { VaultFile } from '../../door/vault-file.ts'
import { indexTerms } from './term-index.ts'

/** How long after the last new token indexing begins, so that it does not slow down what creates many. */
const WAIT_MS = 500
/** Indexing begins after this time even if tokens are still being created. */
const LONGEST_WAIT_MS = 10_000
/** Between slices, other work gets its turn. */
const PAUSE_MS = 5

/** Writes the terms of new tokens a slice at a time, after pending calls have been answered. */
export class TermIndexer {
  readonly #file: VaultFile
  #timer: NodeJS.Timeout | null = null
  /** Until when new tokens put indexing off. */
  #until = 0
  #stopped = false

  constructor(file: VaultFile) {
    this.#file = file
  }

  /** Schedules indexing, or puts it off. */
  wake(): void {
    if (!this.#timer) {
      this.#until = performance.now() + LONGEST_WAIT_MS - WAIT_MS
      this.#schedule(WAIT_MS)
    } else if (performance.now() < this.#until) this.#timer.refresh()
  }

  #schedule(ms: number): void {
    if (this.#stopped) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      // What has begun is not put off.
      this.#until = 0
      if (this.#indexSlice()) this.#schedule(PAUSE_MS)
    }, ms).unref()
  }

  /** Stops permanently. */
  stop(): void {
    this.#stopped = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  /** Returns whether there may be more to do. */
  #indexSlice(): boolean {
    const { db, keyring, isFree } = this.#file
    if (!isFree) return false
    try {
      this.#file.assertPresent()
      const more = db.transaction(() => indexTerms(db, keyring)).immediate()
      noteCommit(db)
      return more
    } catch (error) {
      // A search reads what is not indexed, and the next token tries again.
      this.#file.report(error, 'token index')
      return false
    }
  }
}
