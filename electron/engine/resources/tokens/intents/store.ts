import type { Database } from '../../../db/open.ts'
import { sql } from '../../../db/statement.ts'
import { defineNewestFirst, defineTable } from '../../crud.ts'

/** A token intent as stored: `data` is sealed. */
export type TokenIntentRow = {
  id: string
  type: string
  data: Buffer
  fingerprint: Buffer
  created_by: string | null
  created_at: number
  expires_at: number
  /** When the cvc of the data was stored, in epoch ms; null if there is none. */
  cvc_stored_at: number | null
  /** What a wallet said about the card, as JSON. */
  extras: string | null
}

const columns = 'id, type, data, fingerprint, created_by, created_at, expires_at, cvc_stored_at, extras'

/** Stores and deletes token intents (rule O-03). */
export const { insertRow: insertTokenIntent, deleteRow: deleteTokenIntent } = defineTable<TokenIntentRow>(
  'token_intent',
  columns,
)

/** The maximum stored size of the data of a card or a bank account, in bytes. */
const MAX_DETAILED_BYTES = 4096

/** Lists the newest token intents (rule R-03). `data` is empty where it is too large for a card or a bank account. */
export const { listNewest: listTokenIntents, countAll: countTokenIntents } =
  defineNewestFirst<TokenIntentRow>(
    'token_intent',
    columns.replace('data', `CASE WHEN length(data) <= ${MAX_DETAILED_BYTES} THEN data ELSE x'' END AS data`),
  )

/** Returns a token intent that has not expired at `now`, or undefined (rule O-03). */
export function findTokenIntent(db: Database, id: string, now: number): TokenIntentRow | undefined {
  const query = `SELECT ${columns} FROM token_intent WHERE id = ? AND expires_at > ?`
  return sql<TokenIntentRow>(db, query).get(id, now)
}

/** Returns up to `limit` token intents with a cvc stored over `retention_ms` before or after `now` (rule T-15). */
export function findTokenIntentsWithOldCvc(
  db: Database,
  now: number,
  retention_ms: number,
  limit: number,
): TokenIntentRow[] {
  const query = `SELECT ${columns} FROM token_intent WHERE cvc_stored_at <= ? OR cvc_stored_at >= ? LIMIT ?`
  return sql<TokenIntentRow>(db, query).all(now - retention_ms, now + retention_ms, limit)
}

/** Replaces a token intent's data with sealed data that has no cvc (rule T-15). */
export function dropTokenIntentCvc(db: Database, id: string, data: Buffer): void {
  sql(db, 'UPDATE token_intent SET data = ?, cvc_stored_at = NULL WHERE id = ?').run(data, id)
}
