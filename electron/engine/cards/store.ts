import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'
import type { BinEntry } from './bin-table.ts'

/** The owner's imported entry with the longest prefix of a card number, or undefined (rule T-16). */
export function findBin(db: Database, number: string): BinEntry | undefined {
  const row = sql(
    db,
    `SELECT first AS "from", last AS "to", brand, funding, authentication, additional FROM bin
     WHERE substr(@number, 1, length(first)) BETWEEN first AND last ORDER BY length(first) DESC LIMIT 1`,
  ).get({ number }) as (Omit<BinEntry, 'additional'> & { additional: string | null }) | undefined
  if (!row) return undefined
  const { additional, ...entry } = row
  return { ...entry, ...(additional !== null && { additional: JSON.parse(additional) }) }
}
