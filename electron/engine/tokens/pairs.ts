import { hash } from 'node:crypto'
import type { Keyring } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'

// A vault of an older format has a second table of pairs, `token_metadata`, whose digests have no key. Until all keyed
// ones are computed, writes go to both tables, and searches read the old one.

type Table = 'token_pair' | 'token_metadata'

/** Where a metadata pair is found: `folded` ignores case, `exact` does not (rules L-02, L-06). */
export type Pair = { readonly table: Table; readonly folded: Buffer; readonly exact: Buffer }

type Place = { readonly container: string; readonly created_at: number; readonly id: string }
type Member = readonly [key: string, value: string]

// Built once: a new string would have to be hashed on every call to find its prepared statement.
const insertion = {
  token_pair: insertionInto('token_pair'),
  token_metadata: insertionInto('token_metadata'),
} as const

function insertionInto(table: Table): string {
  return `INSERT OR IGNORE INTO ${table} (folded, exact, container, created_at, id) VALUES (?, ?, ?, ?, ?)`
}

const read = new WeakMap<Database, Table>()

/** The table that searches read. */
function tableOf(db: Database): Table {
  let table = read.get(db)
  if (!table) {
    table = pairProgress(db)?.after == null ? 'token_pair' : 'token_metadata'
    read.set(db, table)
  }
  return table
}

/** How far keying has come; null once it is done, or where it was never needed. */
export function pairProgress(db: Database): { after: number | null } | null {
  const isThere = "SELECT 1 FROM sqlite_schema WHERE name = 'token_pair_progress'"
  if (!sql(db, isThere).get()) return null
  return sql(db, 'SELECT after FROM token_pair_progress').get() as { after: number | null }
}

/** Must be called when the progress may have become null, and when that may have been rolled back. */
export function forgetPairTable(db: Database): void {
  read.delete(db)
}

/** Returns where a pair is found. */
export function pairOf(db: Database, keyring: Keyring, key: string, value: string): Pair {
  return pairIn(tableOf(db), keyring, key, value)
}

function pairIn(table: Table, keyring: Keyring, key: string, value: string): Pair {
  const digest = (pair: string) =>
    table === 'token_pair' ? keyring.pairDigest(pair) : hash('sha256', pair, 'buffer').subarray(0, 16)
  const pair = JSON.stringify([key, value])
  const lower = JSON.stringify([key.toLowerCase(), value.toLowerCase()])
  const exact = digest(pair)
  return { table, folded: lower === pair ? exact : digest(lower), exact }
}

/** Writes a token's pairs. */
export function insertPairs(db: Database, keyring: Keyring, place: Place, members: readonly Member[]): void {
  if (members.length === 0) return
  insertInto('token_pair', db, keyring, place, members)
  if (tableOf(db) === 'token_metadata') insertInto('token_metadata', db, keyring, place, members)
}

/** Writes a token's keyed pairs only. */
export function insertKeyedPairs(
  db: Database,
  keyring: Keyring,
  place: Place,
  members: readonly Member[],
): void {
  insertInto('token_pair', db, keyring, place, members)
}

function insertInto(
  table: Table,
  db: Database,
  keyring: Keyring,
  { container, created_at, id }: Place,
  members: readonly Member[],
): void {
  for (const [key, value] of members) {
    const { folded, exact } = pairIn(table, keyring, key, value)
    sql(db, insertion[table]).run(folded, exact, container, created_at, id)
  }
}

/** Deletes a token's pairs. */
export function deletePairs(
  db: Database,
  keyring: Keyring,
  { container, created_at, id }: Place,
  members: readonly Member[],
): void {
  if (members.length === 0) return
  const tables: Table[] = pairProgress(db) ? ['token_pair', 'token_metadata'] : ['token_pair']
  for (const table of tables) {
    for (const [key, value] of members) {
      const { folded, exact } = pairIn(table, keyring, key, value)
      sql(
        db,
        `DELETE FROM ${table} WHERE folded = ? AND exact = ? AND container = ? AND created_at = ? AND id = ?`,
      ).run(folded, exact, container, created_at, id)
    }
  }
}
