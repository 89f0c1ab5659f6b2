import type { Keyring } from '../../../crypto/keyring.ts'
import type { Database } from '../../../db/open.ts'
import { sql } from '../../../db/statement.ts'
import { type IndexedToken, listTerms, readTermProgress, writeTermProgress } from '../terms/terms.ts'

/** The number of unindexed tokens at which indexing begins. Searches read unindexed tokens directly. */
const BATCH_TOKENS = 512
/** The maximum duration of one slice, in ms. It is short enough not to delay requests. */
const SLICE_MS = 2

/** Indexes the terms of tokens in slices (see `Indexer`), and not during a bulk creation, to keep it fast. */
export const termIndex = {
  write: indexTerms,
  waitMs: 500,
  maxWaitMs: 10_000,
  where: 'token index',
} as const

/**
 * Writes the terms of the oldest unindexed tokens for a few milliseconds, inside the caller's transaction, if there
 * are enough for a batch. Returns whether there may be more to do.
 */
function indexTerms(db: Database, keyring: Keyring): boolean {
  const after = readTermProgress(db)
  if (!sql(db, 'SELECT 1 FROM token WHERE seq > ? LIMIT 1 OFFSET ?').get(after, BATCH_TOKENS - 1))
    return false
  const until = performance.now() + SLICE_MS
  const terms: { readonly term: Buffer; readonly seq: number }[] = []
  let upto = after
  const query = 'SELECT seq, id, type, mask, metadata, data FROM token WHERE seq > ? ORDER BY seq LIMIT ?'
  const rows = sql<IndexedToken>(db, query).iterate(after, BATCH_TOKENS)
  for (const row of rows) {
    for (const term of listTerms(keyring, row)) terms.push({ term, seq: row.seq })
    upto = row.seq
    if (performance.now() > until) break
  }
  // Inserted in table order, so that each page is written once.
  terms.sort((a, b) => a.term.compare(b.term) || a.seq - b.seq)
  for (const { term, seq } of terms) {
    sql(db, 'INSERT OR IGNORE INTO token_term (term, seq) VALUES (?, ?)').run(term, seq)
  }
  writeTermProgress(db, upto)
  return true
}
