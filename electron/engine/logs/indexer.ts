import { noteCommit } from '../db/commit-count.ts'
import type { VaultFile } from '../door/vault-file.ts'
import { indexBlock, lastIndexed } from './index-records.ts'
import { BLOCK } from './places.ts'

/** How long new records wait, so that a burst is indexed together. Between blocks, other work only gets its turn. */
const WAIT_MS = 100
const PAUSE_MS = 5

/** Indexes records a block at a time, after pending calls have been answered. */
export class Indexer {
  readonly #file: VaultFile
  #timer: NodeJS.Timeout | null = null
  #stopped = false
  /** The last record that can be searched by index. */
  #indexed: number

  constructor(file: VaultFile) {
    this.#file = file
    this.#indexed = lastIndexed(file.db)
  }

  /** Called once records up to this place are on disk. */
  wroteUpTo(seq: number): void {
    if (seq - this.#indexed >= BLOCK) this.wake()
  }

  /** Schedules indexing, if not yet scheduled. */
  wake(ms = WAIT_MS): void {
    if (this.#stopped) return
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      if (this.#indexBlock()) this.wake(PAUSE_MS)
    }, ms).unref()
  }

  /** Stops permanently. */
  stop(): void {
    this.#stopped = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  /** Returns whether there may be more to do. */
  #indexBlock(): boolean {
    const { db, keyring, isFree } = this.#file
    if (!isFree) return false
    try {
      this.#file.assertPresent()
      const more = db
        .transaction(() => {
          const isMore = indexBlock(db, keyring)
          this.#indexed = lastIndexed(db)
          return isMore
        })
        .immediate()
      noteCommit(db)
      return more
    } catch (error) {
      // A search reads what is not indexed, and the next record tries again.
      this.#file.report(error, 'log index')
      return false
    }
  }
}
