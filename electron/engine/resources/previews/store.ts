import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import { findToken, type TokenRow } from '../tokens/store.ts'

const MAX_PREVIEW_TOKENS = 24

/**
 * Yields the newest token of each type in each container. If there are many combinations, covers those with the
 * most tokens.
 */
export function* findSampleTokens(db: Database, now: number): Generator<TokenRow> {
  const ids = sql<{ id: string | null }>(
    db,
    `SELECT (SELECT id FROM token INDEXED BY token_by_type WHERE type = c.type AND container = c.container
       ORDER BY created_at DESC, id DESC LIMIT 1) AS id
     FROM (SELECT type, container FROM token_count WHERE tokens > 0 ORDER BY tokens DESC, container, type LIMIT ?) c`,
  ).all(MAX_PREVIEW_TOKENS)
  for (const { id } of ids) {
    const row = id === null ? undefined : findToken(db, id, now)
    if (row) yield row
  }
}
