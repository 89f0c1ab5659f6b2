import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'

/**
 * Every column with values that the keyring sealed. `walk` is the column that orders the table, and `first` is less
 * than every value in it; `row` gives the row name a value was sealed for, `label` the column name.
 */
export const sealedColumns = [
  { table: 'token', walk: 'seq', first: 0, value: 'data', name: 'id', label: 'data' },
  { table: 'token_intent', walk: 'id', first: '', value: 'data', name: 'id', label: 'intent' },
  {
    table: 'idempotency',
    walk: 'scope',
    first: Buffer.alloc(0),
    value: 'kept',
    name: 'scope',
    label: 'kept',
  },
  {
    table: 'proxy',
    walk: 'id',
    first: '',
    value: 'configuration',
    name: 'id',
    label: 'configuration',
  },
  { table: 'exchange', walk: 'id', first: '', value: 'content', name: 'id', label: 'exchange' },
  { table: 'reactor', walk: 'id', first: '', value: 'configuration', name: 'id', label: 'configuration' },
  { table: 'reactor_run', walk: 'id', first: '', value: 'content', name: 'id', label: 'run' },
  { table: 'reactor_request', walk: 'id', first: '', value: 'result', name: 'id', label: 'result' },
  { table: 'event', walk: 'seq', first: 0, value: 'sealed_data', name: 'id', label: 'event' },
  { table: 'delivery_attempt', walk: 'seq', first: 0, value: 'answer', name: 'id', label: 'answer' },
  { table: 'signing_key', walk: 'seq', first: 0, value: 'private_key', name: 'id', label: 'private_key' },
  { table: 'client_key', walk: 'id', first: '', value: 'private', name: 'id', label: 'private' },
] as const

/** Whether any value is sealed under a data key other than this version. */
export function isAnySealedUnderOther(db: Database, version: number): boolean {
  const prefix = Buffer.alloc(4)
  prefix.writeUInt32BE(version)
  return sealedColumns.some(({ table, value }) =>
    sql(db, `SELECT 1 FROM ${table} WHERE substr(${value}, 1, 4) <> ? LIMIT 1`).get(prefix),
  )
}
