import { changesSoFar, dropChanges } from './changes.ts'
import type { Database } from './open.ts'

/** Begins a part of a transaction that can be undone alone; gives what `undoSavepoint` takes. */
export function beginSavepoint(db: Database): number {
  db.exec('SAVEPOINT part')
  return changesSoFar(db)
}

/** Undoes what was written since the savepoint began, with what was noted of it. */
export function undoSavepoint(db: Database, before: number): void {
  db.exec('ROLLBACK TO part')
  dropChanges(db, before)
}

/** Ends the part: what is left of it belongs to the transaction. */
export function endSavepoint(db: Database): void {
  db.exec('RELEASE part')
}
