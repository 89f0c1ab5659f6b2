import type { Keyring } from '../electron/engine/crypto/keyring.ts'
import type { Database } from '../electron/engine/db/open.ts'
import { indexBlock } from '../electron/engine/resources/logs/index-records.ts'

type Log = { readonly db: Database; readonly keyring: Keyring }

/** Indexes all complete blocks of a log, each step in its own transaction. */
export function indexAll(log: Log): void {
  while (indexUpTo(log, Number.POSITIVE_INFINITY));
}

/**
 * Runs the first steps of indexing the next block, and calls `afterEach` after each. Returns whether there may be more
 * to do.
 */
export function indexUpTo({ db, keyring }: Log, steps: number, afterEach: () => void = () => {}): boolean {
  const block = indexBlock(db, keyring)
  for (let step = 0; step < steps; step++) {
    const { done, value } = db.transaction(() => block.next())()
    afterEach()
    if (done) return value
  }
  return true
}
