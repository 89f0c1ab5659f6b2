import { comparePositions, type Position } from '../../../../shared/token-order.ts'

/** Reads up to `limit` positions after one, in the order of L-03; fewer only where no more follow. */
type PositionReader = (after: Position | null, limit: number) => Position[]

/**
 * An ordered part of a walk. If it is the only one, it has no position twice. It is read `first` positions at a time,
 * then more, once the reader has used those up.
 */
export type MergeSource = { readonly read: PositionReader; readonly first: number }

/** The most positions one query reads. */
const MAX_POSITIONS_PER_QUERY = 500

/**
 * Yields the positions of several sources after one, each once, in the order of L-03. What is read and not yielded is
 * at most one query's rows of each source.
 */
export function* mergeSources(sources: readonly MergeSource[], after: Position | null): Generator<Position> {
  // Ordered so that the one with the next position is the last.
  const cursors: MergeCursor[] = []
  for (const source of sources) insertCursor(cursors, new MergeCursor(source, after))
  let last: Position | null = null
  for (let next = cursors.pop(); next; next = cursors.pop()) {
    const position = next.head as Position
    if (last === null || sources.length === 1 || comparePositions(last, position) !== 0) yield position
    last = position
    // Only now: the reader may need no more, and this may read more.
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

/** A source and what has been read of it but not taken. */
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

  /** The next position; undefined at the end. */
  get head(): Position | undefined {
    return this.#positions[this.#at]
  }

  /** Goes to the position after the next one, which there must be. */
  advance(): void {
    const position = this.#positions[this.#at++] as Position
    if (this.#at < this.#limit) return
    this.#limit = Math.max(this.#limit, Math.min(this.#limit * 4, MAX_POSITIONS_PER_QUERY))
    this.#positions = this.#read(position, this.#limit)
    this.#at = 0
  }
}
