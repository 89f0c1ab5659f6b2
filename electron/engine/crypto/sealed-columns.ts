import type { EntityName } from '../../../shared/entities.ts'
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

const orderById = { walk: 'id', first: '', name: 'id' }
const orderBySeq = { walk: 'seq', first: 0, name: 'id' }

/** The columns of each entity whose values the keyring sealed. */
const columnsByEntity: Readonly<Record<EntityName, readonly SealedColumn[]>> = {
  token: [{ ...orderBySeq, table: 'token', value: 'data', label: 'data' }],
  token_intent: [{ ...orderById, table: 'token_intent', value: 'data', label: 'intent' }],
  application: [],
  application_key: [],
  session: [],
  proxy: [{ ...orderById, table: 'proxy', value: 'configuration', label: 'configuration' }],
  document: [
    {
      ...orderBySeq,
      table: 'document_chunk',
      value: 'data',
      // SECURITY: includes the chunk's number, so that the chunks of a document cannot be swapped.
      name: "document_id || '/' || number",
      label: 'document',
      version: 'key_version',
    },
  ],
  reactor: [
    { ...orderById, table: 'reactor', value: 'configuration', label: 'configuration' },
    { ...orderById, table: 'reactor_request', value: 'result', label: 'result' },
  ],
  webhook: [{ ...orderBySeq, table: 'event', value: 'sealed_data', label: 'event' }],
  three_ds_session: [{ ...orderById, table: 'three_ds_session', value: 'content', label: 'three_ds' }],
  apple_pay: [{ ...orderById, table: 'apple_pay', value: 'content', label: 'apple_pay' }],
  google_pay: [{ ...orderById, table: 'google_pay', value: 'content', label: 'google_pay' }],
  network_token: [{ ...orderById, table: 'network_token', value: 'content', label: 'network_token' }],
  wallet_merchant: [],
  wallet_certificate: [
    { ...orderById, table: 'wallet_certificate', value: 'private_key', label: 'private_key' },
  ],
  wallet_domain: [],
  client_key: [{ ...orderById, table: 'client_key', value: 'private', label: 'private' }],
  tenant: [],
  invitation: [],
  account_updater_job: [],
  merchant: [],
  agent: [],
  enrollment: [{ ...orderBySeq, table: 'enrollment', value: 'content', label: 'enrollment' }],
  instruction: [{ ...orderBySeq, table: 'instruction', value: 'content', label: 'instruction' }],
  tenant_connection: [],
  log: [],
  vault: [
    {
      walk: 'scope',
      first: Buffer.alloc(0),
      table: 'idempotency',
      value: 'kept',
      name: 'scope',
      label: 'kept',
    },
  ],
  key_use: [],
  exchange: [{ ...orderById, table: 'exchange', value: 'content', label: 'exchange' }],
  reactor_run: [{ ...orderById, table: 'reactor_run', value: 'content', label: 'run' }],
  delivery: [{ ...orderBySeq, table: 'delivery_attempt', value: 'answer', label: 'answer' }],
  signing_key: [{ ...orderBySeq, table: 'signing_key', value: 'private_key', label: 'private_key' }],
  bank_account: [],
  bin: [],
  saved_search: [],
  draft: [{ ...orderById, table: 'draft', value: 'content', label: 'draft' }],
}

/** Every column whose values the keyring sealed. */
export const sealedColumns: readonly SealedColumn[] = Object.values(columnsByEntity).flat()

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
