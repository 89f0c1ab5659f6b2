import { countChanges, dropChanges } from './changes.ts'
import type { Database } from './open.ts'
import { sql } from './statement.ts'

/** Starts a part of a transaction that can be rolled back on its own. Returns the argument for `undoSavepoint`. */
export function startSavepoint(db: Database): number {
  sql(db, 'SAVEPOINT part').run()
  return countChanges(db)
}

/** Rolls back all writes since the savepoint, and drops the changes recorded since. */
export function undoSavepoint(db: Database, before: number): void {
  sql(db, 'ROLLBACK TO part').run()
  dropChanges(db, before)
}

/** Ends the savepoint. Writes that were not rolled back become part of the transaction. */
export function endSavepoint(db: Database): void {
  sql(db, 'RELEASE part').run()
}
