import type { Database } from '../open.ts'

/** One row, written at every opening and clean close: the vault's commits are counted in a file beside it. */
export function addCommitCount(db: Database): void {
  db.exec(`
    CREATE TABLE commit_count (
      id BLOB NOT NULL,
      total INTEGER NOT NULL,
      at_close INTEGER NOT NULL
    ) STRICT
  `)
}
