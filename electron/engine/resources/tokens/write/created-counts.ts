import type { Database } from '../../../db/open.ts'
import { addToTokenCounts, type TokenRow } from '../store.ts'

type CountedToken = Pick<TokenRow, 'type' | 'container' | 'created_at'>

/**
 * Counts the tokens that one call creates, by type and container, so that the vault's counters are written only once.
 */
export class CreatedCounts {
  readonly #db: Database
  readonly #counts = new Map<string, { readonly row: CountedToken; tokens: number }>()

  constructor(db: Database) {
    this.#db = db
  }

  add(row: CountedToken): void {
    const kind = `${row.type}\n${row.container}`
    const existing = this.#counts.get(kind)
    if (existing) existing.tokens++
    else this.#counts.set(kind, { row, tokens: 1 })
  }

  /**
   * Writes what was counted since the previous `write`. Must be called at the end, and before one of the counted tokens
   * is moved or deleted.
   */
  write(): void {
    for (const { row, tokens } of this.#counts.values()) addToTokenCounts(this.#db, row, tokens)
    this.#counts.clear()
  }
}
