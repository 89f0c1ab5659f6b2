import type { ApiOperation } from '../../parts/api/api-document.ts'

/** The operations that have every typed word in method, path, name or summary, best first within their groups. */
export function operationsFor(operations: readonly ApiOperation[], typed: string): ApiOperation[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return [...operations]
  const ranked = operations.flatMap((operation) => {
    const rank = rankOf(operation, words)
    return rank === null ? [] : [{ operation, rank }]
  })
  ranked.sort((a, b) => a.rank - b.rank)
  // A group stands where its best operation does.
  return [...Map.groupBy(ranked, ({ operation }) => operation.tag).values()]
    .flat()
    .map(({ operation }) => operation)
}

/** Lower is better: the path itself, then a part of it, then words of the summary; null if a word is nowhere. */
function rankOf(
  { id, method, path, summary, deprecated }: ApiOperation,
  words: readonly string[],
): number | null {
  const line = `${method} ${path}`.toLowerCase()
  const all = `${line} ${id} ${summary}`.toLowerCase()
  if (!words.every((word) => all.includes(word))) return null
  const typed = words.join(' ')
  const rest = deprecated ? 100 : 0
  if (line === typed || path.toLowerCase() === typed || id.toLowerCase() === typed) return rest
  const named = summary.toLowerCase()
  if (named === typed) return rest
  if (named.startsWith(typed)) return rest + 1
  if (line.startsWith(typed) || path.toLowerCase().startsWith(typed)) return rest + 1 + path.length / 1000
  if (words.every((word) => line.includes(word))) return rest + 2 + path.length / 1000
  return rest + 3
}
