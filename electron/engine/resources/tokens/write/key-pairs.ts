import type { Keyring } from '../../../crypto/keyring.ts'
import type { Database } from '../../../db/open.ts'
import { sql } from '../../../db/statement.ts'
import { insertKeyedPairs, invalidatePairTable, readPairProgress } from '../pairs.ts'
import { toPairedToken } from '../store.ts'

/** The maximum duration of one slice, in ms: short enough not to delay requests. */
const SLICE_MS = 8
const DELETE_BATCH_ROWS = 500

/**
 * Migrates a vault of an older format: computes keyed digests of metadata, one slice per call inside the caller's
 * transaction, then deletes the unkeyed digests. Returns whether there is more to do.
 */
export function computeKeyedPairs(db: Database, keyring: Keyring): boolean {
  const progress = readPairProgress(db)
  if (!progress) return false
  // This transaction may switch searches to another table, and a rollback switches them back, so the cached choice is
  // invalidated.
  invalidatePairTable(db)
  if (progress.after === null) return deleteUnkeyedPairs(db)
  const until = performance.now() + SLICE_MS
  let after: number | null = progress.after
  while (after !== null && performance.now() < until) after = keyNextToken(db, keyring, after)
  sql(db, 'UPDATE token_pair_progress SET after = ?').run(after)
  return true
}

type KeyPairRow = { seq: number; container: string; created_at: number; id: string; metadata: string }

/** Computes the digests of a single token, because its metadata may be large. Returns its `seq`, or null at the end. */
function keyNextToken(db: Database, keyring: Keyring, after: number): number | null {
  const query = `SELECT seq, container, created_at, id, metadata FROM token
     WHERE seq > ? AND metadata IS NOT NULL ORDER BY seq LIMIT 1`
  const row = sql<KeyPairRow>(db, query).get(after)
  if (!row) return null
  insertKeyedPairs(db, keyring, toPairedToken(row))
  return row.seq
}

/** Deletes a batch of unkeyed digests; once none are left, drops their table. */
function deleteUnkeyedPairs(db: Database): boolean {
  const statement = `DELETE FROM token_metadata WHERE (folded, exact, container, created_at, id) IN
       (SELECT folded, exact, container, created_at, id FROM token_metadata LIMIT ?)`
  const { changes } = sql(db, statement).run(DELETE_BATCH_ROWS)
  if (changes > 0) return true
  db.exec('DROP TABLE token_metadata; DROP TABLE token_pair_progress')
  return false
}
