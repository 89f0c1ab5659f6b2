import { comparePositions, type Position } from '../../../../../shared/token-order.ts'

/** Reads up to `limit` positions after a position, in the order of L-03. If it returns fewer, there are no more. */
type PositionReader = (after: Position | null, limit: number) => Position[]

/**
 * One ordered source of a walk. If a walk has only one source, the source must not repeat a position. The first query
 * reads `first` positions, later queries read more.
 */
export type MergeSource = { readonly read: PositionReader; readonly first: number }

const MAX_POSITIONS_PER_QUERY = 500

/**
 * Merges several sources: yields their positions after `after`, each once, in the order of L-03. For each source,
 * reads ahead at most the rows of one query.
 */
export function* mergeSources(sources: readonly MergeSource[], after: Position | null): Generator<Position> {
  // Sorted in reverse, so that the cursor with the next position is last.
  const cursors: MergeCursor[] = []
  for (const source of sources) insertCursor(cursors, new MergeCursor(source, after))
  let last: Position | null = null
  for (let next = cursors.pop(); next; next = cursors.pop()) {
    const position = next.head as Position
    if (last === null || sources.length === 1 || comparePositions(last, position) !== 0) yield position
    last = position
    // Advances only after the yield, because advancing may run a query and the caller may have stopped.
    next.advance()
    insertCursor(cursors, next)
  }
}

function insertCursor(cursors: MergeCursor[], cursor: MergeCursor): void {
  const position = cursor.head
  if (!position) return
  let [low, high] = [0, cursors.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (comparePositions(cursors[middle]?.head as Position, position) > 0) low = middle + 1
    else high = middle
  }
  cursors.splice(low, 0, cursor)
}

/** Reads a source, and holds the positions that were read but not yielded yet. */
class MergeCursor {
  readonly #read: PositionReader
  #limit: number
  #positions: readonly Position[]
  #at = 0

  constructor({ read, first }: MergeSource, after: Position | null) {
    this.#read = read
    this.#limit = first
    this.#positions = read(after, first)
  }

  /** The next position of the source; undefined at its end. */
  get head(): Position | undefined {
    return this.#positions[this.#at]
  }

  /** Moves past the current position, which must exist. */
  advance(): void {
    const position = this.#positions[this.#at++] as Position
    if (this.#at < this.#limit) return
    this.#limit = Math.max(this.#limit, Math.min(this.#limit * 4, MAX_POSITIONS_PER_QUERY))
    this.#positions = this.#read(position, this.#limit)
    this.#at = 0
  }
}
