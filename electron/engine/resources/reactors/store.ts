import { recordChange } from '../../db/changes.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import { listByName, type NamePage } from '../callables/name-filter.ts'
import { deleteById } from '../crud.ts'

export type ReactorRow = {
  id: string
  name: string
  code: string
  /** Sealed JSON of the configuration. */
  configuration: Buffer
  application_id: string | null
  /** JSON of the runtime options, as the request set them. */
  runtime: string | null
  created_by: string | null
  created_at: number
  modified_by: string | null
  modified_at: number | null
}

const columns =
  'id, name, code, configuration, application_id, runtime, created_by, created_at, modified_by, modified_at'

/** Stores a new reactor (rule F-01). */
export function insertReactor(db: Database, row: ReactorRow): void {
  sql(
    db,
    `INSERT INTO reactor (${columns}) VALUES (@id, @name, @code, @configuration, @application_id, @runtime,
     @created_by, @created_at, @modified_by, @modified_at)`,
  ).run(row)
  recordChange(db, 'reactor', 'created', row.id)
}

export function findReactor(db: Database, id: string): ReactorRow | undefined {
  return sql<ReactorRow>(db, `SELECT ${columns} FROM reactor WHERE id = ?`).get(id)
}

/** Replaces the editable columns of a reactor (rule F-01). */
export function updateReactor(db: Database, row: ReactorRow): void {
  const { id, name, code, configuration, application_id, runtime, modified_by, modified_at } = row
  sql(
    db,
    `UPDATE reactor SET name = @name, code = @code, configuration = @configuration, application_id = @application_id,
     runtime = @runtime, modified_by = @modified_by, modified_at = @modified_at WHERE id = @id`,
  ).run({ id, name, code, configuration, application_id, runtime, modified_by, modified_at })
  recordChange(db, 'reactor', 'updated', row.id)
}

export function deleteReactor(db: Database, id: string): void {
  deleteById(db, 'reactor', id)
}

const listed = {
  table: 'reactor',
  columns,
  bytes: 'octet_length(code) + octet_length(configuration) + ifnull(octet_length(runtime), 0)',
} as const

export function listReactors(db: Database, ...page: NamePage): { rows: ReactorRow[]; total: number } {
  return listByName<ReactorRow>(db, listed, ...page)
}
