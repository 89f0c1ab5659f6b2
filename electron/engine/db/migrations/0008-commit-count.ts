import type { Database } from '../open.ts'

/** One row, written at every opening and clean close. The vault's commits are counted in a file next to it. */
export function addCommitCount(db: Database): void {
  db.exec(`
    CREATE TABLE commit_count (
      id BLOB NOT NULL,
      total INTEGER NOT NULL,
      at_close INTEGER NOT NULL
    ) STRICT
  `)
}
