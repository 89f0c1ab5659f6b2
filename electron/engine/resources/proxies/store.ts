import { recordChange } from '../../db/changes.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import { listByName, type NamePage } from '../callables/name-filter.ts'
import { deleteById } from '../crud.ts'

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

const columns = `id, key, name, destination_url, transforms, configuration, application_id, require_auth,
  disable_detokenization, created_by, created_at, modified_by, modified_at`

/** Stores a new proxy (rule G-01). */
export function insertProxy(db: Database, row: ProxyRow): void {
  sql(
    db,
    `INSERT INTO proxy (${columns}) VALUES (@id, @key, @name, @destination_url, @transforms, @configuration,
     @application_id, @require_auth, @disable_detokenization, @created_by, @created_at, @modified_by, @modified_at)`,
  ).run(row)
  recordChange(db, 'proxy', 'created', row.id)
}

export function findProxy(db: Database, id: string): ProxyRow | undefined {
  return sql<ProxyRow>(db, `SELECT ${columns} FROM proxy WHERE id = ?`).get(id)
}

/** Finds a proxy by the key in a call (rule G-04). */
export function findProxyByKey(db: Database, key: string): ProxyRow | undefined {
  return sql<ProxyRow>(db, `SELECT ${columns} FROM proxy WHERE key = ?`).get(key)
}

/** Replaces the editable columns of a proxy (rule G-01). */
export function updateProxy(db: Database, row: ProxyRow): void {
  sql(
    db,
    `UPDATE proxy SET name = @name, destination_url = @destination_url, transforms = @transforms,
     configuration = @configuration, application_id = @application_id, require_auth = @require_auth,
     disable_detokenization = @disable_detokenization, modified_by = @modified_by, modified_at = @modified_at
     WHERE id = @id`,
  ).run({
    id: row.id,
    name: row.name,
    destination_url: row.destination_url,
    transforms: row.transforms,
    configuration: row.configuration,
    application_id: row.application_id,
    require_auth: row.require_auth,
    disable_detokenization: row.disable_detokenization,
    modified_by: row.modified_by,
    modified_at: row.modified_at,
  })
  recordChange(db, 'proxy', 'updated', row.id)
}

export function deleteProxy(db: Database, id: string): void {
  deleteById(db, 'proxy', id)
}

const listed = {
  table: 'proxy',
  columns,
  bytes: 'octet_length(transforms) + octet_length(configuration)',
} as const

export function listProxies(db: Database, ...page: NamePage): { rows: ProxyRow[]; total: number } {
  return listByName<ProxyRow>(db, listed, ...page)
}
