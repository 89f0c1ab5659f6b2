import type { EntityChange } from '../../../shared/entity-changes.ts'
import { dropChanges, takeChanges } from '../db/changes.ts'
import { recordCommit } from '../db/commit-count.ts'
import type { WrittenLogRecord } from './records.ts'
import type { VaultFile } from './vault-file.ts'

/** The log records and entity changes of one transaction. */
export type CommitResult = {
  readonly records: readonly WrittenLogRecord[]
  readonly changes: readonly EntityChange[]
}

/** Delivers a transaction's result once it is on disk. Must not throw, and must not call the engine synchronously. */
export type DeliverCommit = (committed: CommitResult) => void

/** Runs `write` in its own transaction. Returns its result with the changes it caused. Rethrows what it throws. */
export function runInTransaction<T extends Omit<CommitResult, 'changes'>>(
  file: VaultFile,
  write: () => T,
): T & CommitResult {
  file.assertSynced()
  const done = runUncounted(file, write)
  recordCommit(file.db)
  return done
}

/** Like `runInTransaction`, but neither waits for the disk nor counts the commit; the caller must do both. */
export function runUncounted<T extends Omit<CommitResult, 'changes'>>(
  { db }: VaultFile,
  write: () => T,
): T & CommitResult {
  try {
    return db.transaction(() => ({ ...write(), changes: takeChanges(db) })).immediate()
  } catch (error) {
    dropChanges(db)
    throw error
  }
}
