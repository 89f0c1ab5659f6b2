import type { BinEntry } from './bin-table.ts'

/**
 * The same table without overlaps between ranges of one length (rule T-16), so that one probe finds the right entry.
 * Where ranges overlap, the first entry keeps the shared prefixes and later ones are cut around it.
 */
export function disjoint(entries: readonly BinEntry[]): BinEntry[] {
  const byLength = Map.groupBy(entries, (entry) => entry.from.length)
  return [...byLength].flatMap(([digits, group]) => cut(digits, group))
}

function cut(digits: number, entries: readonly BinEntry[]): BinEntry[] {
  const ranges = entries.map((entry) => ({ entry, start: Number(entry.from), end: Number(entry.to) + 1 }))
  const bounds = [...new Set(ranges.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b)
  const cellAt = new Map(bounds.map((bound, cell) => [bound, cell]))
  const owners: (BinEntry | undefined)[] = []
  const next = Array.from({ length: bounds.length + 1 }, (_, cell) => cell)
  // The first free cell at or after `cell` (union-find with path halving).
  const free = (cell: number): number => {
    let at = cell
    for (let step = next[at] ?? at; step !== at; step = next[at] ?? at) {
      next[at] = next[step] ?? step
      at = step
    }
    return at
  }
  for (const { entry, start, end } of ranges) {
    const last = cellAt.get(end) ?? 0
    for (let cell = free(cellAt.get(start) ?? 0); cell < last; cell = free(cell)) {
      owners[cell] = entry
      next[cell] = cell + 1
    }
  }
  const text = (number: number) => String(number).padStart(digits, '0')
  const pieces: BinEntry[] = []
  for (let cell = 0; cell < bounds.length - 1; cell++) {
    const owner = owners[cell]
    if (!owner) continue
    const from = bounds[cell] ?? 0
    while (owners[cell + 1] === owner) cell++
    pieces.push({ ...owner, from: text(from), to: text((bounds[cell + 1] ?? 0) - 1) })
  }
  return pieces
}
