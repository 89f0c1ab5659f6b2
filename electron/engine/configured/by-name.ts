/** Which of them a list names (rules G-01, F-01). `name` may contain `*`. */
export type NameFilter = { readonly ids: readonly string[] | undefined; readonly name: string | undefined }

/** The condition that `valuesOf` fills in, for a table with `id` and `name`. */
export const byName = `(@ids IS NULL OR id IN (SELECT value FROM json_each(@ids)))
  AND (@name IS NULL OR name LIKE @name ESCAPE '\\')`

export function valuesOf({ ids, name }: NameFilter): { ids: string | null; name: string | null } {
  return {
    ids: ids ? JSON.stringify(ids) : null,
    name: name === undefined ? null : patternOf(name),
  }
}

/** A wildcard as LIKE writes it. */
function patternOf(wildcard: string): string {
  return wildcard.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%')
}
