import { Indexer } from '../../pipeline/indexer.ts'
import type { VaultFile } from '../../pipeline/vault-file.ts'
import { indexBlock, readLastIndexed } from './index-records.ts'
import { BLOCK_SIZE } from './position-sets.ts'

const INDEX_DELAY_MS = 100

/** Indexes records in blocks, in short steps. */
export class RecordIndexer extends Indexer {
  /** The `seq` of the last indexed record. */
  #indexed: number

  constructor(file: VaultFile) {
    /** The remaining steps of the current block; null between blocks. */
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
        // The last block may have been rolled back; the next finished block sets this again.
        this.#indexed = 0
      },
      waitMs: INDEX_DELAY_MS,
      where: 'log index',
    })
    this.#indexed = readLastIndexed(file.db)
  }

  /** Called once the records up to this `seq` are on disk. */
  onWritten(seq: number): void {
    if (seq - this.#indexed >= BLOCK_SIZE) this.scheduleIndexing()
  }
}
