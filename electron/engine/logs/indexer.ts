import { noteCommit } from '../db/commit-count.ts'
import type { VaultFile } from '../door/vault-file.ts'
import { indexBlock, lastIndexed } from './index-records.ts'
import { BLOCK } from './places.ts'

/** How long new records wait, so that a burst is indexed together. Between steps, other work only gets its turn. */
const WAIT_MS = 100
const PAUSE_MS = 1

/** Indexes records a block at a time, in short steps between which calls are answered (rule R-03). */
export class Indexer {
  readonly #file: VaultFile
  #timer: NodeJS.Timeout | null = null
  #stopped = false
  /** The steps of the block that is being written. */
  #steps: ReturnType<typeof indexBlock> | null = null
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
      if (this.#takeStep()) this.wake(PAUSE_MS)
    }, ms).unref()
  }

  /** Stops permanently. */
  stop(): void {
    this.#stopped = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  /** Returns whether there may be more to do. */
  #takeStep(): boolean {
    const { db, keyring, isFree, isPaused } = this.#file
    if (!isFree) return false
    if (isPaused) return true
    this.#steps ??= indexBlock(db, keyring)
    const steps = this.#steps
    try {
      this.#file.assertPresent()
      const { done, value } = db.transaction(() => steps.next()).immediate()
      noteCommit(db)
      if (!done) return true
      this.#steps = null
      this.#indexed = lastIndexed(db)
      return value
    } catch (error) {
      this.#steps = null
      // A search reads what is not indexed, and the next record tries again.
      this.#file.report(error, 'log index')
      return false
    }
  }
}
