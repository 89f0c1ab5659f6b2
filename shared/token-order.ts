/** A token's place in every list: primary container, epoch ms of its creation, id, all descending (rule L-03). */
export type Position = readonly [container: string, created_at: number, id: string]

/** Sorts as the vault lists: negative where `a` comes before `b` (rule L-03). */
export function comparePositions(a: Position, b: Position): number {
  return compareText(b[0], a[0]) || b[1] - a[1] || compareText(b[2], a[2])
}

/** By code points, as SQLite compares; `<` goes by halves of characters, which puts some above others. */
function compareText(a: string, b: string): number {
  if (a === b) return 0
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  // Two that begin with the same half differ in the other, whose order is the same.
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1)
}
