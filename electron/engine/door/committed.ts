import type { Change } from '../../../shared/changes.ts'
import { dropChanges, takeChanges } from '../db/changes.ts'
import { noteCommit } from '../db/commit-count.ts'
import type { Database } from '../db/open.ts'
import type { WrittenLogRecord } from './records.ts'

/** What one transaction collected for delivery. */
export type Committed = {
  readonly records: readonly WrittenLogRecord[]
  readonly changes: readonly Change[]
}

/** Delivers it once it is on disk. Must not throw, and must not call the engine synchronously. */
export type Deliver = (committed: Committed) => void

/** Runs `write` in a transaction of its own and returns what it collected. Rethrows what `write` throws. */
export function committed<T extends Omit<Committed, 'changes'>>(db: Database, write: () => T): T & Committed {
  try {
    const done = db.transaction(() => ({ ...write(), changes: takeChanges(db) })).immediate()
    noteCommit(db)
    return done
  } catch (error) {
    dropChanges(db)
    throw error
  }
}
