import type { ApiOperation } from '../../parts/api/api-document.ts'

/**
 * Finds operations with every word of the query in method, path, name or summary. Groups them by tag, with
 * the best matches first.
 */
export function findOperations(operations: readonly ApiOperation[], query: string): ApiOperation[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return [...operations]
  const ranked = operations.flatMap((operation) => {
    const rank = rankOperation(operation, words)
    return rank === null ? [] : [{ operation, rank }]
  })
  ranked.sort((a, b) => a.rank - b.rank)
  // A group ranks as high as its best operation.
  return [...Map.groupBy(ranked, ({ operation }) => operation.tag).values()]
    .flat()
    .map(({ operation }) => operation)
}

/**
 * Ranks a match; lower is better. An exact match of path, id or summary ranks first, then the start of
 * path or summary, then words of the path, then any other match. Null if a word is missing.
 */
function rankOperation(
  { id, method, path, summary, deprecated }: ApiOperation,
  words: readonly string[],
): number | null {
  const line = `${method} ${path}`.toLowerCase()
  const all = `${line} ${id} ${summary}`.toLowerCase()
  if (!words.every((word) => all.includes(word))) return null
  const phrase = words.join(' ')
  const rest = deprecated ? 100 : 0
  if (line === phrase || path.toLowerCase() === phrase || id.toLowerCase() === phrase) return rest
  const title = summary.toLowerCase()
  if (title === phrase) return rest
  if (title.startsWith(phrase)) return rest + 1
  if (line.startsWith(phrase) || path.toLowerCase().startsWith(phrase)) return rest + 1 + path.length / 1000
  if (words.every((word) => line.includes(word))) return rest + 2 + path.length / 1000
  return rest + 3
}
