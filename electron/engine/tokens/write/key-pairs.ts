import type { Keyring } from '../../crypto/keyring.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import { forgetPairTable, insertKeyedPairs, pairProgress } from '../pairs.ts'

/** Short enough that a waiting request does not notice. */
const SLICE_MS = 8
const DELETED_AT_ONCE = 500

/**
 * Computes keyed digests of metadata in a vault of an older format, a slice at a time inside the caller's transaction,
 * then deletes the unkeyed ones. Returns whether there is more to do.
 */
export function keyPairs(db: Database, keyring: Keyring): boolean {
  const progress = pairProgress(db)
  if (!progress) return false
  // Whatever follows: the table that searches read may change, or change back if the transaction fails.
  forgetPairTable(db)
  if (progress.after === null) return emptyOld(db)
  const until = performance.now() + SLICE_MS
  let after: number | null = progress.after
  while (after !== null && performance.now() < until) after = keyNext(db, keyring, after)
  sql(db, 'UPDATE token_pair_progress SET after = ?').run(after)
  return true
}

type Found = { seq: number; container: string; created_at: number; id: string; metadata: string }

/** One token: its metadata may be large. Returns its place, or null at the end. */
function keyNext(db: Database, keyring: Keyring, after: number): number | null {
  const row = sql(
    db,
    `SELECT seq, container, created_at, id, metadata FROM token
     WHERE seq > ? AND metadata IS NOT NULL ORDER BY seq LIMIT 1`,
  ).get(after) as Found | undefined
  if (!row) return null
  insertKeyedPairs(db, keyring, row, Object.entries(JSON.parse(row.metadata) as Record<string, string>))
  return row.seq
}

/** Deletes unkeyed digests, then their table. */
function emptyOld(db: Database): boolean {
  const { changes } = sql(
    db,
    `DELETE FROM token_metadata WHERE (folded, exact, container, created_at, id) IN
       (SELECT folded, exact, container, created_at, id FROM token_metadata LIMIT ?)`,
  ).run(DELETED_AT_ONCE)
  if (changes > 0) return true
  db.exec('DROP TABLE token_metadata; DROP TABLE token_pair_progress')
  return false
}
