import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'

type SealedColumn = {
  readonly table: string
  /** The column that orders the table, and a value that is less than every value in it. */
  readonly walk: string
  readonly first: number | string | Buffer
  readonly value: string
  /** The row name for which a value was sealed, as SQL. */
  readonly name: string
  /** The column name for which a value was sealed. */
  readonly label: string
  /** A column that stores the key version separately, so that long values need not be read to find it. */
  readonly version?: string
}

/** Every column whose values the keyring sealed. */
export const sealedColumns: readonly SealedColumn[] = [
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
  { table: 'three_ds_session', walk: 'id', first: '', value: 'content', name: 'id', label: 'three_ds' },
  { table: 'client_key', walk: 'id', first: '', value: 'private', name: 'id', label: 'private' },
  { table: 'draft', walk: 'id', first: '', value: 'content', name: 'id', label: 'draft' },
  {
    table: 'document_chunk',
    walk: 'seq',
    first: 0,
    value: 'data',
    // SECURITY: includes the chunk's number, so that the chunks of a document cannot be swapped.
    name: "document_id || '/' || number",
    label: 'document',
    version: 'key_version',
  },
]

/** Whether any value is sealed under a data key other than this version. */
export function isAnySealedUnderOther(db: Database, version: number): boolean {
  const prefix = Buffer.alloc(4)
  prefix.writeUInt32BE(version)
  return sealedColumns.some(({ table, value, version: column }) =>
    column === undefined
      ? sql(db, `SELECT 1 FROM ${table} WHERE substr(${value}, 1, 4) <> ? LIMIT 1`).get(prefix)
      : sql(db, `SELECT 1 FROM ${table} WHERE ${column} <> ? LIMIT 1`).get(version),
  )
}
