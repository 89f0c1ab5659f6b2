import type { Database } from '../../../db/open.ts'
import { sql } from '../../../db/statement.ts'
import { defineTable } from '../../crud.ts'

type ConnectionRow = {
  id: string
  strategy: string
  /** The options as JSON. */
  options: string
  created_by: string | null
  created_at: number
}

const columns = 'id, strategy, options, created_by, created_at'

/** Stores, finds and deletes the tenant's connection (rule Z-03). */
export const {
  insertRow: insertConnection,
  findRow: findConnection,
  deleteRow: deleteConnection,
} = defineTable<ConnectionRow>('tenant_connection', columns)

/** Returns the tenant's only connection, or undefined. */
export function findAnyConnection(db: Database): ConnectionRow | undefined {
  return sql<ConnectionRow>(db, `SELECT ${columns} FROM tenant_connection LIMIT 1`).get()
}
