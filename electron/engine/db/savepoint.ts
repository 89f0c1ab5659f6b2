import { countChanges, dropChanges } from './changes.ts'
import type { Database } from './open.ts'
import { sql } from './statement.ts'

/** Begins a part of a transaction that can be undone on its own. Returns the argument for `undoSavepoint`. */
export function startSavepoint(db: Database): number {
  sql(db, 'SAVEPOINT part').run()
  return countChanges(db)
}

/** Undoes what was written since the savepoint began, and drops the changes noted since. */
export function undoSavepoint(db: Database, before: number): void {
  sql(db, 'ROLLBACK TO part').run()
  dropChanges(db, before)
}

/** Ends the savepoint. What was not undone becomes part of the transaction. */
export function endSavepoint(db: Database): void {
  sql(db, 'RELEASE part').run()
}
