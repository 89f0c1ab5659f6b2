import type Driver from 'better-sqlite3'
import type { Database } from './open.ts'

type Statement = Driver.Statement<unknown[]>

const prepared = new WeakMap<Database, Map<string, Statement>>()

/**
 * Returns the prepared statement for an SQL string, cached per database. The strings must come from a bounded
 * set, because the cache only grows.
 */
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
