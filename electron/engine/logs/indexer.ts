import { Indexer } from '../pipeline/indexer.ts'
import type { VaultFile } from '../pipeline/vault-file.ts'
import { indexBlock, readLastIndexed } from './index-records.ts'
import { BLOCK_SIZE } from './position-sets.ts'

const INDEX_DELAY_MS = 100

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
        this.#indexed = readLastIndexed(db)
        return value
      },
      onFailure: () => {
        steps = null
        // What was noted above may have been undone; the next block says it again.
        this.#indexed = 0
      },
      waitMs: INDEX_DELAY_MS,
      where: 'log index',
    })
    this.#indexed = readLastIndexed(file.db)
  }

  /** Called once records up to this place are on disk. */
  onWritten(seq: number): void {
    if (seq - this.#indexed >= BLOCK_SIZE) this.scheduleIndexing()
  }
}
