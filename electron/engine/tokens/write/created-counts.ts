import type { Database } from '../../db/open.ts'
import { countCreated, type TokenRow } from '../store.ts'

type Created = Pick<TokenRow, 'type' | 'container' | 'created_at'>

/** Counts the tokens that one call creates, by type and container, so that the vault's counts are written once for all. */
export class CreatedCounts {
  readonly #db: Database
  readonly #of = new Map<string, { readonly row: Created; tokens: number }>()

  constructor(db: Database) {
    this.#db = db
  }

  /** Counts a token that was inserted. */
  add(row: Created): void {
    const kind = `${row.type}\n${row.container}`
    const known = this.#of.get(kind)
    if (known) known.tokens++
    else this.#of.set(kind, { row, tokens: 1 })
  }

  /** Writes what was counted since the last time: before one of these tokens is moved or deleted, and at the end. */
  write(): void {
    for (const { row, tokens } of this.#of.values()) countCreated(this.#db, row, tokens)
    this.#of.clear()
  }
}
