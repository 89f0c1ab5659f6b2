import type { ProxyActor } from '../../access/actor.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import { listByName, type NamePage } from '../callables/name-filter.ts'
import { defineTable } from '../crud.ts'

export type ProxyRow = {
  id: string
  key: string
  name: string
  destination_url: string
  /** JSON of `Transforms`. */
  transforms: string
  /** Sealed JSON of the configuration. */
  configuration: Buffer
  application_id: string | null
  require_auth: 0 | 1
  disable_detokenization: 0 | 1
  created_by: string | null
  created_at: number
  modified_by: string | null
  modified_at: number | null
}

const editable = `name, destination_url, transforms, configuration, application_id, require_auth,
  disable_detokenization, modified_by, modified_at`
const columns = `id, key, created_by, created_at, ${editable}`

/** Stores, finds, replaces and deletes proxies (rule G-01). */
export const {
  insertRow: insertProxy,
  findRow: findProxy,
  updateRow: updateProxy,
  deleteRow: deleteProxy,
} = defineTable<ProxyRow>('proxy', columns, editable)

/** Finds a proxy by the key in a call (rule G-04). */
export function findProxyByKey(db: Database, key: string): ProxyRow | undefined {
  return sql<ProxyRow>(db, `SELECT ${columns} FROM proxy WHERE key = ?`).get(key)
}

const listed = {
  table: 'proxy',
  columns,
  bytes: 'octet_length(transforms) + octet_length(configuration)',
} as const

export function listProxies(db: Database, ...page: NamePage): { rows: ProxyRow[]; total: number } {
  return listByName<ProxyRow>(db, listed, ...page)
}

/** Returns the actor for a call of a proxy without a key (rule G-04); null if there is none, or it needs a key. */
export function findActorOfProxy(db: Database, proxy_key: string): ProxyActor | null {
  const row = findProxyByKey(db, proxy_key)
  if (!row || row.require_auth === 1) return null
  return { kind: 'proxy', id: row.id, permissions: [], rules: [], expires_at: null }
}
