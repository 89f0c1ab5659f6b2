import { hash } from 'node:crypto'
import type { Keyring } from '../../crypto/keyring.ts'
import type { Database } from '../../db/open.ts'
import { selectRow, sql } from '../../db/statement.ts'

// A vault of an older format has a second table of pairs, `token_metadata`, with unkeyed digests. Until all keyed
// digests are computed, writes go to both tables and searches read the old table.

type PairTable = 'token_pair' | 'token_metadata'

/** The table and digests to look up a metadata pair: `folded` ignores case, `exact` does not (L-02, L-06). */
export type PairLookup = { readonly table: PairTable; readonly folded: Buffer; readonly exact: Buffer }

type TokenPosition = { readonly container: string; readonly created_at: number; readonly id: string }
type MetadataPair = readonly [key: string, value: string]

/** How many pairs of a batch one statement inserts. */
const MAX_ROWS = 16

// Built once, because prepared statements are looked up by their SQL, and a new string would have to be hashed on
// every call.
const insertion = { token_pair: buildInserts('token_pair'), token_metadata: buildInserts('token_metadata') }

/** Returns the statements that insert one row and `MAX_ROWS` rows. */
function buildInserts(table: PairTable): { readonly one: string; readonly most: string } {
  const one = `INSERT OR IGNORE INTO ${table} (folded, exact, container, created_at, id) VALUES (?, ?, ?, ?, ?)`
  return { one, most: one + ', (?, ?, ?, ?, ?)'.repeat(MAX_ROWS - 1) }
}

const pairTables = new WeakMap<Database, PairTable>()

/** Returns the table that searches read. */
function getPairTable(db: Database): PairTable {
  let table = pairTables.get(db)
  if (!table) {
    table = readPairProgress(db)?.after == null ? 'token_pair' : 'token_metadata'
    pairTables.set(db, table)
  }
  return table
}

/**
 * Returns, as `after`, the `seq` of the last token whose pairs have keyed digests; `after` is null once all tokens have
 * them. Returns null instead of an object for a vault without the unkeyed table.
 */
export function readPairProgress(db: Database): { after: number | null } | null {
  const selectProgressTable = "SELECT 1 FROM sqlite_schema WHERE name = 'token_pair_progress'"
  if (!sql(db, selectProgressTable).get()) return null
  return selectRow<{ after: number | null }>(db, 'SELECT after FROM token_pair_progress')
}

/**
 * Drops the cached name of the table that searches read. Must be called when the progress may have become null, and
 * when such a change may have been rolled back.
 */
export function invalidatePairTable(db: Database): void {
  pairTables.delete(db)
}

/** Returns the lookup of a pair in the table that searches read. */
export function toPairLookup(db: Database, keyring: Keyring, key: string, value: string): PairLookup {
  return computePairLookup(getPairTable(db), keyring, key, value)
}

function computePairLookup(table: PairTable, keyring: Keyring, key: string, value: string): PairLookup {
  const computeDigest = (pair: string) =>
    table === 'token_pair' ? keyring.computePairDigest(pair) : hash('sha256', pair, 'buffer').subarray(0, 16)
  const pair = JSON.stringify([key, value])
  const lower = JSON.stringify([key.toLowerCase(), value.toLowerCase()])
  const exact = computeDigest(pair)
  return { table, folded: lower === pair ? exact : computeDigest(lower), exact }
}

/** A token's position, and the metadata pairs by which it is found. */
export type PairedToken = TokenPosition & { readonly members: readonly MetadataPair[] }

/** Inserts the pairs of tokens, into the unkeyed table too while searches read it. */
export function insertPairs(db: Database, keyring: Keyring, tokens: readonly PairedToken[]): void {
  if (tokens.every(({ members }) => members.length === 0)) return
  insertPairsInto('token_pair', db, keyring, tokens)
  if (getPairTable(db) === 'token_metadata') insertPairsInto('token_metadata', db, keyring, tokens)
}

/** Inserts only the keyed pairs of a token. */
export function insertKeyedPairs(db: Database, keyring: Keyring, token: PairedToken): void {
  insertPairsInto('token_pair', db, keyring, [token])
}

function insertPairsInto(
  table: PairTable,
  db: Database,
  keyring: Keyring,
  tokens: readonly PairedToken[],
): void {
  const lookups = tokens.flatMap((token) =>
    token.members.map(([key, value]) => ({ token, ...computePairLookup(table, keyring, key, value) })),
  )
  // In the order of the table, so that neighbouring entries are written while their page is at hand.
  lookups.sort((one, other) => one.folded.compare(other.folded))
  const { one, most } = insertion[table]
  for (let at = 0; at < lookups.length; ) {
    const rows = at + MAX_ROWS <= lookups.length ? MAX_ROWS : 1
    const values = lookups
      .slice(at, at + rows)
      .flatMap(({ token, folded, exact }) => [folded, exact, token.container, token.created_at, token.id])
    sql(db, rows === 1 ? one : most).run(values)
    at += rows
  }
}

/** Deletes a token's pairs from both tables. */
export function deletePairs(
  db: Database,
  keyring: Keyring,
  { container, created_at, id }: TokenPosition,
  members: readonly MetadataPair[],
): void {
  if (members.length === 0) return
  const tables: PairTable[] = readPairProgress(db) ? ['token_pair', 'token_metadata'] : ['token_pair']
  for (const table of tables) {
    for (const [key, value] of members) {
      const { folded, exact } = computePairLookup(table, keyring, key, value)
      const statement = `DELETE FROM ${table} WHERE folded = ? AND exact = ? AND container = ? AND created_at = ? AND id = ?`
      sql(db, statement).run(folded, exact, container, created_at, id)
    }
  }
}
