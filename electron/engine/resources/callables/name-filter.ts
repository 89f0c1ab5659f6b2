import { createInvalidError } from '../../../../shared/errors.ts'

/** Filters a list by ids and by name (rules G-01, F-01). `name` may contain `*`. */
export type NameFilter = { readonly ids: readonly string[] | undefined; readonly name: string | undefined }

/** The SQL condition of a name filter, for a table with `id` and `name`; `toNameFilterValues` gives its values. */
export const nameFilterSql = `(@ids IS NULL OR id IN (SELECT value FROM json_each(@ids)))
  AND (@name IS NULL OR name LIKE @name ESCAPE '\\')`

export function toNameFilterValues({ ids, name }: NameFilter): { ids: string | null; name: string | null } {
  return {
    ids: ids ? JSON.stringify(ids) : null,
    name: name === undefined ? null : toLikePattern(name),
  }
}

/** The maximum size of a page with more than one row, in bytes as stored. */
const MAX_PAGE_BYTES = 3 * 1024 * 1024

/** Throws `invalid` if the rows of a page are together too large for one response (rule R-03, case X-65). */
export function assertPageSize({
  bytes,
  count,
}: {
  readonly bytes: number | null
  readonly count: number
}): void {
  if (count > 1 && (bytes ?? 0) > MAX_PAGE_BYTES) {
    throw createInvalidError('size', 'requests more than 3 MiB of data; request fewer items')
  }
}

/** Converts `*` to the wildcard `%` of SQL's LIKE, and escapes the special characters of LIKE. */
function toLikePattern(wildcard: string): string {
  return wildcard.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%')
}
