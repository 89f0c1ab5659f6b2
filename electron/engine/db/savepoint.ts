import { changesSoFar, dropChanges } from './changes.ts'
import type { Database } from './open.ts'

/** Begins a part of a transaction that can be undone on its own. Returns the argument for `undoSavepoint`. */
export function beginSavepoint(db: Database): number {
  db.exec('SAVEPOINT part')
  return changesSoFar(db)
}

/** Undoes what was written since the savepoint began, and drops the changes noted since. */
export function undoSavepoint(db: Database, before: number): void {
  db.exec('ROLLBACK TO part')
  dropChanges(db, before)
}

/** Ends the savepoint. What was not undone becomes part of the transaction. */
export function endSavepoint(db: Database): void {
  db.exec('RELEASE part')
}
