import { createInvalidError } from '../../../shared/errors.ts'

/** Which of them a list names (rules G-01, F-01). `name` may contain `*`. */
export type NameFilter = { readonly ids: readonly string[] | undefined; readonly name: string | undefined }

/** The condition that `valuesOf` fills in, for a table with `id` and `name`. */
export const nameFilterSql = `(@ids IS NULL OR id IN (SELECT value FROM json_each(@ids)))
  AND (@name IS NULL OR name LIKE @name ESCAPE '\\')`

export function toNameFilterValues({ ids, name }: NameFilter): { ids: string | null; name: string | null } {
  return {
    ids: ids ? JSON.stringify(ids) : null,
    name: name === undefined ? null : toLikePattern(name),
  }
}

/** The most bytes, as stored, on a page of more than one. */
const MAX_PAGE_BYTES = 3 * 1024 * 1024

/** Throws `invalid` for a page of rows that are too large together for one answer (rule R-03, case X-65). */
export function assertPageSize({
  bytes,
  count,
}: {
  readonly bytes: number | null
  readonly count: number
}): void {
  if (count > 1 && (bytes ?? 0) > MAX_PAGE_BYTES) {
    throw createInvalidError('size', 'asks for more than one answer may hold; ask for fewer')
  }
}

/** A wildcard as LIKE writes it. */
function toLikePattern(wildcard: string): string {
  return wildcard.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%')
}
