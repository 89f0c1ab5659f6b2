import type { BinEntry } from './bin-table.ts'

/** The maximum number of entries of a part, and roughly how many are looked at between two parts. */
const PART = 1000

/**
 * Removes overlaps between ranges of the same length (rule T-16), so that one index probe finds the right entry.
 * Where ranges overlap, the first entry keeps the shared prefixes and later entries are split around it. Yields the
 * entries in parts, sorted by length and digits. Some parts are empty, so that other work can run between parts.
 */
export function* removeOverlaps(entries: readonly BinEntry[]): Generator<BinEntry[]> {
  const byLength = [...Map.groupBy(entries, (entry) => entry.from.length)]
  for (const [digits, group] of byLength.sort(([one], [other]) => one - other))
    yield* cutOverlaps(digits, group)
}

function* cutOverlaps(digits: number, entries: readonly BinEntry[]): Generator<BinEntry[]> {
  const cellAt = yield* numberCells(entries)
  const bounds = [...cellAt.keys()]
  const owners = yield* findOwners(entries, cellAt)
  const formatPrefix = (number: number) => String(number).padStart(digits, '0')
  let segments: BinEntry[] = []
  for (let cell = 0; cell < bounds.length - 1; cell++) {
    const owner = owners[cell]
    if (!owner) continue
    const from = bounds[cell] ?? 0
    while (owners[cell + 1] === owner) cell++
    segments.push({ ...owner, from: formatPrefix(from), to: formatPrefix((bounds[cell + 1] ?? 0) - 1) })
    if (segments.length < PART) continue
    yield segments
    segments = []
  }
  yield segments
}

/** Returns the first entry that contains each cell. */
function* findOwners(
  entries: readonly BinEntry[],
  cellAt: ReadonlyMap<number, number>,
): Generator<BinEntry[], (BinEntry | undefined)[]> {
  const owners: (BinEntry | undefined)[] = []
  const next = Int32Array.from({ length: cellAt.size + 1 }, (_, cell) => cell)
  for (const [at, entry] of entries.entries()) {
    const last = cellAt.get(Number(entry.to) + 1) ?? 0
    let cell = findFreeCell(next, cellAt.get(Number(entry.from)) ?? 0)
    for (; cell < last; cell = findFreeCell(next, cell)) {
      owners[cell] = entry
      next[cell] = cell + 1
    }
    if (at % PART === 0) yield []
  }
  return owners
}

/** Returns the first free cell at or after `cell` (union-find with path halving). */
function findFreeCell(next: Int32Array, cell: number): number {
  let at = cell
  for (let step = next[at] ?? at; step !== at; step = next[at] ?? at) {
    next[at] = next[step] ?? step
    at = step
  }
  return at
}

/** Returns where ranges start and end, ascending and numbered. */
function* numberCells(entries: readonly BinEntry[]): Generator<BinEntry[], Map<number, number>> {
  const bounds = new Float64Array(2 * entries.length)
  for (const [at, { from, to }] of entries.entries()) {
    bounds[2 * at] = Number(from)
    bounds[2 * at + 1] = Number(to) + 1
    if (at % PART === 0) yield []
  }
  // Typed arrays sort numbers without a function, which is several times as fast.
  const cellAt = new Map<number, number>()
  for (const [at, bound] of bounds.sort().entries()) {
    if (!cellAt.has(bound)) cellAt.set(bound, cellAt.size)
    if (at % PART === 0) yield []
  }
  return cellAt
}
