import { noteCommit } from '../../db/commit-count.ts'
import type { VaultFile } from '../../door/vault-file.ts'
import { indexTerms } from './term-index.ts'

/** How long new tokens wait, so that a burst is indexed together. Between slices, other work gets its turn. */
const WAIT_MS = 500
const PAUSE_MS = 2

/** Writes the terms of new tokens a slice at a time, after pending calls have been answered. */
export class TermIndexer {
  readonly #file: VaultFile
  #timer: NodeJS.Timeout | null = null
  #stopped = false

  constructor(file: VaultFile) {
    this.#file = file
  }

  /** Schedules indexing, if not yet scheduled. */
  wake(ms = WAIT_MS): void {
    if (this.#stopped) return
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      if (this.#indexSlice()) this.wake(PAUSE_MS)
    }, ms).unref()
  }

  /** Stops permanently. */
  stop(): void {
    this.#stopped = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  /** Returns whether there may be more to do. */
  #indexSlice(): boolean {
    const { db, keyring, isFree, isPaused } = this.#file
    if (!isFree) return false
    if (isPaused) return true
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
