/** Returns the known name that is nearest to a misspelled one; undefined if none is near enough to suggest. */
export function findNearestName(name: string, known: readonly string[]): string | undefined {
  // A long name is not compared, because the comparison takes as many steps as both names have characters.
  if (name.length > 64) return undefined
  const written = foldName(name)
  const near = known
    .map((each) => ({ each, distance: countEdits(written, foldName(each)) }))
    .filter(({ each, distance }) => distance <= Math.min(2, each.length / 4))
  return near.toSorted((a, b) => a.distance - b.distance)[0]?.each
}

/** Folds the spellings of a name: `expiresAt` and `expires-at` are `expires_at`. */
function foldName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '')
}

/** Counts the characters to insert, delete or replace to turn one text into the other (Levenshtein distance). */
function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [i, char] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (char === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
