import type { ReactorRuntime } from '../../../../shared/schemas/runtime.ts'
import type { Database } from '../../db/open.ts'
import { listByName, type NamePage } from '../callables/name-filter.ts'
import { defineTable } from '../crud.ts'

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

/** Parses the runtime of a reactor, stored as the request set it; undefined if there is none. */
export function parseRuntime({ runtime }: ReactorRow): ReactorRuntime | undefined {
  return runtime === null ? undefined : (JSON.parse(runtime) as ReactorRuntime)
}

const editable = 'name, code, configuration, application_id, runtime, modified_by, modified_at'
const columns = `id, created_by, created_at, ${editable}`

/** Stores, finds, replaces and deletes reactors (rule F-01). */
export const {
  insertRow: insertReactor,
  findRow: findReactor,
  updateRow: updateReactor,
  deleteRow: deleteReactor,
} = defineTable<ReactorRow>('reactor', columns, editable)

const listed = {
  table: 'reactor',
  columns,
  bytes: 'octet_length(code) + octet_length(configuration) + ifnull(octet_length(runtime), 0)',
} as const

export function listReactors(db: Database, ...page: NamePage): { rows: ReactorRow[]; total: number } {
  return listByName<ReactorRow>(db, listed, ...page)
}
