import type { EntityName } from '../../../../shared/entities.ts'
import { createInvalidError } from '../../../../shared/errors.ts'
import { createdId, page, repeatable, size, unusedStart } from '../../../../shared/schemas/common.ts'
import { z } from '../../../../shared/zod.ts'
import type { Database } from '../../db/open.ts'
import { selectRow } from '../../db/statement.ts'
import { listRows } from '../crud.ts'

/** Filters a list by ids and by name (rules G-01, F-01). `name` may contain `*`. */
export type NameFilter = { readonly ids: readonly string[] | undefined; readonly name: string | undefined }

const matching = `(@ids IS NULL OR id IN (SELECT value FROM json_each(@ids)))
  AND (@name IS NULL OR name LIKE @name ESCAPE '\\')`

/** The input of a list with this filter. */
export const nameQuery = z.strictObject({
  id: repeatable.pipe(z.array(createdId).optional()),
  name: z.string().max(200).optional().describe('A name; `*` matches any characters'),
  page,
  size,
  start: unusedStart,
})

type NamedTable = {
  readonly table: EntityName
  readonly columns: string
  /** The SQL of a row's size in bytes. */
  readonly bytes: string
}

/**
 * Lists a page of rows, newest first, with the total number of matches. In `name`, `*` matches any characters.
 * Throws `invalid` if the page is too large for one response (rules G-01, F-01).
 */
export function listByName<Row>(
  db: Database,
  { table, columns, bytes }: NamedTable,
  { ids, name }: NameFilter,
  limit: number,
  offset: number,
): { rows: Row[]; total: number } {
  const values = {
    ids: ids ? JSON.stringify(ids) : null,
    name: name === undefined ? null : toLikePattern(name),
  }
  const order = 'created_at DESC, rowid DESC'
  assertPageSize(
    selectRow(
      db,
      `SELECT sum(bytes) AS bytes, count(*) AS count FROM (SELECT ${bytes} AS bytes FROM ${table}
       WHERE ${matching} ORDER BY ${order} LIMIT @limit OFFSET @offset)`,
      { ...values, limit, offset },
    ),
  )
  return listRows<Row>(db, { table, columns, matching, order }, values, limit, offset)
}

/** What `listByName` selects of a table. */
export type NamePage = [filter: NameFilter, limit: number, offset: number]

/** The maximum size of a page with more than one row, in bytes as stored. */
const MAX_PAGE_BYTES = 3 * 1024 * 1024

/** Throws `invalid` if the rows of a page are together too large for one response (rule R-03, case X-65). */
function assertPageSize({ bytes, count }: { readonly bytes: number | null; readonly count: number }): void {
  if (count > 1 && (bytes ?? 0) > MAX_PAGE_BYTES) {
    throw createInvalidError('size', 'requests more than 3 MiB of data; request fewer items')
  }
}

/** Converts `*` to the wildcard `%` of SQL's LIKE, and escapes the special characters of LIKE. */
function toLikePattern(wildcard: string): string {
  return wildcard.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%')
}
