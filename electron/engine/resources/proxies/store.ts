import { recordChange } from '../../db/changes.ts'
import type { Database } from '../../db/open.ts'
import { selectRow, sql } from '../../db/statement.ts'
import {
  assertPageSize,
  type NameFilter,
  nameFilterSql,
  toNameFilterValues,
} from '../callables/name-filter.ts'

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
  sql(db, 'DELETE FROM proxy WHERE id = ?').run(id)
  recordChange(db, 'proxy', 'deleted', id)
}

/**
 * Lists a page of proxies, newest first, with the total number of matches. In `name`, `*` matches any characters.
 * Throws `invalid` if the page is too large for one response (rule G-01).
 */
export function listProxies(
  db: Database,
  filter: NameFilter,
  limit: number,
  offset: number,
): { rows: ProxyRow[]; total: number } {
  const values = toNameFilterValues(filter)
  const page = `FROM proxy WHERE ${nameFilterSql} ORDER BY created_at DESC, rowid DESC LIMIT @limit OFFSET @offset`
  const size = selectRow<{ bytes: number | null; count: number }>(
    db,
    `SELECT sum(bytes) AS bytes, count(*) AS count FROM (
       SELECT octet_length(transforms) + octet_length(configuration) AS bytes ${page})`,
    { ...values, limit, offset },
  )
  assertPageSize(size)
  const rows = sql<ProxyRow>(db, `SELECT ${columns} ${page}`).all({ ...values, limit, offset })
  const total = Number(sql(db, `SELECT count(*) FROM proxy WHERE ${nameFilterSql}`).pluck().get(values))
  return { rows, total }
}
