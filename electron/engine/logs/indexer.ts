import { Indexer } from '../door/indexer.ts'
import type { VaultFile } from '../door/vault-file.ts'
import { indexBlock, lastIndexed } from './index-records.ts'
import { BLOCK } from './places.ts'

const WAIT_MS = 100

/** Indexes records a block at a time. */
export class RecordIndexer extends Indexer {
  /** The last record that can be searched by index. */
  #indexed: number

  constructor(file: VaultFile) {
    super(file, {
      write: (db, keyring) => {
        const isMore = indexBlock(db, keyring)
        this.#indexed = lastIndexed(db)
        return isMore
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
