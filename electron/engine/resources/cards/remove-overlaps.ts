import type { BinEntry } from './bin-table.ts'

/**
 * Removes overlaps between ranges of the same length (rule T-16), so that one index probe finds the right entry.
 * Where ranges overlap, the first entry keeps the shared prefixes and later entries are split around it.
 */
export function removeOverlaps(entries: readonly BinEntry[]): BinEntry[] {
  const byLength = Map.groupBy(entries, (entry) => entry.from.length)
  return [...byLength].flatMap(([digits, group]) => cutOverlaps(digits, group))
}

function cutOverlaps(digits: number, entries: readonly BinEntry[]): BinEntry[] {
  const ranges = entries.map((entry) => ({ entry, start: Number(entry.from), end: Number(entry.to) + 1 }))
  const bounds = [...new Set(ranges.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b)
  const cellAt = new Map(bounds.map((bound, cell) => [bound, cell]))
  const owners: (BinEntry | undefined)[] = []
  const next = Array.from({ length: bounds.length + 1 }, (_, cell) => cell)
  // Returns the first free cell at or after `cell` (union-find with path halving).
  const findFreeCell = (cell: number): number => {
    let at = cell
    for (let step = next[at] ?? at; step !== at; step = next[at] ?? at) {
      next[at] = next[step] ?? step
      at = step
    }
    return at
  }
  for (const { entry, start, end } of ranges) {
    const last = cellAt.get(end) ?? 0
    for (let cell = findFreeCell(cellAt.get(start) ?? 0); cell < last; cell = findFreeCell(cell)) {
      owners[cell] = entry
      next[cell] = cell + 1
    }
  }
  const formatPrefix = (number: number) => String(number).padStart(digits, '0')
  const segments: BinEntry[] = []
  for (let cell = 0; cell < bounds.length - 1; cell++) {
    const owner = owners[cell]
    if (!owner) continue
    const from = bounds[cell] ?? 0
    while (owners[cell + 1] === owner) cell++
    segments.push({ ...owner, from: formatPrefix(from), to: formatPrefix((bounds[cell + 1] ?? 0) - 1) })
  }
  return segments
}
