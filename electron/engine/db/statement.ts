import type Driver from 'better-sqlite3'
import type { Database } from './open.ts'

type Statement = Driver.Statement<unknown[]>

const prepared = new WeakMap<Database, Map<string, Statement>>()

/** Returns the statement for an SQL text, prepared once per database. The texts must come from a bounded set. */
export function sql(db: Database, source: string): Statement {
  let statements = prepared.get(db)
  if (!statements) {
    statements = new Map()
    prepared.set(db, statements)
  }
  let statement = statements.get(source)
  if (!statement) {
    statement = db.prepare<unknown[]>(source)
    statements.set(source, statement)
  }
  return statement
}
