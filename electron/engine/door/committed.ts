import type { Change } from '../../../shared/changes.ts'
import { dropChanges, takeChanges } from '../db/changes.ts'
import { noteCommit } from '../db/commit-count.ts'
import type { WrittenLogRecord } from './records.ts'
import type { VaultFile } from './vault-file.ts'

/** What one transaction collected for delivery. */
export type Committed = {
  readonly records: readonly WrittenLogRecord[]
  readonly changes: readonly Change[]
}

/** Delivers it once it is on disk. Must not throw, and must not call the engine synchronously. */
export type Deliver = (committed: Committed) => void

/** Runs `write` in a transaction of its own and returns what it collected. Rethrows what `write` throws. */
export function committed<T extends Omit<Committed, 'changes'>>(
  file: VaultFile,
  write: () => T,
): T & Committed {
  file.settle()
  const done = collected(file, write)
  noteCommit(file.db)
  return done
}

/** As `committed`, for a transaction whose caller sees to it that the disk has it, and that it is counted then. */
export function collected<T extends Omit<Committed, 'changes'>>(
  { db }: VaultFile,
  write: () => T,
): T & Committed {
  try {
    return db.transaction(() => ({ ...write(), changes: takeChanges(db) })).immediate()
  } catch (error) {
    dropChanges(db)
    throw error
  }
}
