import type { Database } from '../open.ts'

/**
 * Adds the table for the count of commits: one row, written at every opening and clean close. A file next to
 * the database counts every commit.
 */
export function addCommitCount(db: Database): void {
  db.exec(`
    CREATE TABLE commit_count (
      id BLOB NOT NULL,
      total INTEGER NOT NULL,
      at_close INTEGER NOT NULL
    ) STRICT
  `)
}
