/** A token's position in every list: primary container, creation time in epoch ms, id, all descending (rule L-03). */
export type Position = readonly [container: string, created_at: number, id: string]

/** Compares two positions in the order of lists: negative if `a` comes before `b` (rule L-03). */
export function comparePositions(a: Position, b: Position): number {
  return compareText(b[0], a[0]) || b[1] - a[1] || compareText(b[2], a[2])
}

/** Compares by code points, as SQLite does. `<` compares UTF-16 units, which sorts some characters differently. */
function compareText(a: string, b: string): number {
  if (a === b) return 0
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  // If the strings differ in the second half of a surrogate pair, comparing those code units gives the order of the
  // characters.
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1)
}
