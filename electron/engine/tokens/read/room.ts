import type { Transform } from '../../../../shared/schemas/rule.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import type { Context } from '../../door/context.ts'
import { MAX_WORK } from '../../expressions/bounds.ts'
import { Work } from '../../expressions/work.ts'
import type { TokenRow } from '../store.ts'
import { toToken } from './present.ts'

/** The most bytes of stored tokens in one answer. A single token is at most about as large. */
const MOST_BYTES = 2 * 1024 * 1024

/** The size of a row as stored, in bytes. */
export function bytesOf({ data, mask, metadata, search_indexes }: TokenRow): number {
  return data.length + (mask?.length ?? 0) + (metadata?.length ?? 0) + (search_indexes?.length ?? 0)
}

/** The room for tokens in one answer: in bytes, and in the work of their masks (rule R-03, case X-48). */
export class Room {
  readonly #context: Context
  #bytes = 0
  /** The work left for masks; null before the first token. */
  #work: Work | null = null

  constructor(context: Context) {
    this.#context = context
  }

  /**
   * Returns a token as `toToken` does, or null if there is no room left for it. There always is for the first one, so
   * that no token keeps a list from going on.
   */
  show(this: Room, row: TokenRow, transform: Transform): Token | null {
    if (!this.take(bytesOf(row))) return null
    if (this.#work === null) return this.#first(row, transform)
    try {
      return toToken(this.#context, row, transform, this.#work)
    } catch (error) {
      if (this.#work.left < 0) return null
      throw error
    }
  }

  /** Takes room for something else of this size. Returns false if there is none left; there always is at first. */
  take(this: Room, bytes: number): boolean {
    const isFirst = this.#bytes === 0
    this.#bytes += bytes
    return isFirst || this.#bytes <= MOST_BYTES
  }

  /** The first token may take all the work of the request. */
  #first(row: TokenRow, transform: Transform): Token {
    const { work } = this.#context
    const before = work.left
    const token = toToken(this.#context, row, transform)
    this.#work = new Work(MAX_WORK - (before - work.left))
    return token
  }
}
