import type Driver from 'better-sqlite3'
import type { Database } from './open.ts'

const prepared = new WeakMap<Database, Map<string, Driver.Statement<unknown[]>>>()

/**
 * Returns the prepared statement for an SQL string, cached per database. The strings must come from a bounded
 * set, because the cache only grows. `Row` is what the statement selects.
 */
export function sql<Row = unknown>(db: Database, source: string): Driver.Statement<unknown[], Row> {
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
  return statement as Driver.Statement<unknown[], Row>
}

/** Returns the row of a statement that always has one, such as a count. */
export function selectRow<Row>(db: Database, source: string, ...values: unknown[]): Row {
  return sql<Row>(db, source).get(...values) as Row
}

/** Returns the only column of a statement that always has one row. */
export function selectValue<Value>(db: Database, source: string, ...values: unknown[]): Value {
  return sql<Value>(db, source)
    .pluck()
    .get(...values) as Value
}
