type Row = { readonly id: string }

/** The id of the row that takes the place of one that is gone: the next that is left, or else the one before it. */
export function nextAfter(gone: string, before: readonly Row[], left: readonly Row[]): string | null {
  const place = before.findIndex(({ id }) => id === gone)
  if (place < 0) return null
  const ids = new Set(left.map(({ id }) => id))
  const isLeft = ({ id }: Row) => ids.has(id)
  return (before.slice(place).find(isLeft) ?? before.slice(0, place).findLast(isLeft))?.id ?? null
}
