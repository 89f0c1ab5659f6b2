import { Indexer } from '../door/indexer.ts'
import type { VaultFile } from '../door/vault-file.ts'
import { indexBlock, lastIndexed } from './index-records.ts'
import { BLOCK } from './places.ts'

const WAIT_MS = 100

/** Indexes records a block at a time, in short steps. */
export class RecordIndexer extends Indexer {
  /** The last record that can be searched by index. */
  #indexed: number

  constructor(file: VaultFile) {
    /** The steps of the block that is being written. */
    let steps: ReturnType<typeof indexBlock> | null = null
    super(file, {
      write: (db, keyring) => {
        steps ??= indexBlock(db, keyring)
        const { done, value } = steps.next()
        if (!done) return true
        steps = null
        this.#indexed = lastIndexed(db)
        return value
      },
      onFailed: () => {
        steps = null
        // What was noted above may have been undone; the next block says it again.
        this.#indexed = 0
      },
      waitMs: WAIT_MS,
      place: 'log index',
    })
    this.#indexed = lastIndexed(file.db)
  }

  /** Called once records up to this place are on disk. */
  wroteUpTo(seq: number): void {
    if (seq - this.#indexed >= BLOCK) this.wake()
  }
}
