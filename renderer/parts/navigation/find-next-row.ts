type IdentifiedRow = { readonly id: string }

/** The id of the row to select after a deletion: the next remaining one, or else the one before. */
export function findNextRow(
  deletedId: string,
  before: readonly IdentifiedRow[],
  remaining: readonly IdentifiedRow[],
): string | null {
  const index = before.findIndex(({ id }) => id === deletedId)
  if (index < 0) return null
  const ids = new Set(remaining.map(({ id }) => id))
  const isRemaining = ({ id }: IdentifiedRow) => ids.has(id)
  return (before.slice(index).find(isRemaining) ?? before.slice(0, index).findLast(isRemaining))?.id ?? null
}
