import type { Database } from './open.ts'

/** The count as stored in the database itself. */
export type CommitCountRow = {
  readonly id: Buffer
  /** The total at this row's own commit. */
  readonly total: number
  /** Whether a clean close wrote the row, as its last commit. */
  readonly at_close: boolean
}

/** Returns the row of a database; undefined if its commits were never counted. */
export function readCommitCountRow(db: Database): CommitCountRow | undefined {
  if (!hasTable(db)) return undefined
  const row = db.prepare('SELECT id, total, at_close FROM commit_count').get()
  if (!row) return undefined
  const { id, total, at_close } = row as { id: Buffer; total: number; at_close: number }
  return { id, total, at_close: at_close === 1 }
}

/** Writes the row, in its own transaction. */
export function writeCommitCountRow(db: Database, { id, total, at_close }: CommitCountRow): void {
  db.transaction(() => {
    db.exec('DELETE FROM commit_count')
    db.prepare('INSERT INTO commit_count (id, total, at_close) VALUES (?, ?, ?)').run(
      id,
      total,
      at_close ? 1 : 0,
    )
  }).immediate()
}

/** Removes the count from a copy that becomes a separate vault. */
export function deleteCommitCount(db: Database): void {
  if (hasTable(db)) db.exec('DELETE FROM commit_count')
}

function hasTable(db: Database): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'commit_count'").get() !== undefined
}
