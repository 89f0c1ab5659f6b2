import { recordChange } from '../../db/changes.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'

/** What a network token can be created from, besides a card in the request (rule Z-03). */
export type NetworkTokenSource = { readonly kind: 'token' | 'token_intent'; readonly id: string }

// Built once, because every card that is shown looks for its network tokens.
const selectIds = `SELECT network_token_id FROM network_token_source
  WHERE source_id = ? AND kind = ? AND linked_at >= ? ORDER BY seq`

/** Links a network token to what has its card. */
export function linkNetworkToken(
  db: Database,
  network_token_id: string,
  { kind, id }: NetworkTokenSource,
  now: number,
): void {
  const statement = `INSERT INTO network_token_source (network_token_id, kind, source_id, linked_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET linked_at = excluded.linked_at`
  sql(db, statement).run(network_token_id, kind, id, now)
  recordChange(db, kind, 'updated', id)
}

/** Removes the links of a network token that is deleted. */
export function unlinkNetworkToken(db: Database, network_token_id: string): void {
  for (const { kind, id } of listSources(db, network_token_id)) recordChange(db, kind, 'updated', id)
  sql(db, 'DELETE FROM network_token_source WHERE network_token_id = ?').run(network_token_id)
}

/** Lists what a network token was created from, in the order of the requests, whether it still exists or not. */
export function listSources(db: Database, network_token_id: string): NetworkTokenSource[] {
  const query =
    'SELECT kind, source_id AS id FROM network_token_source WHERE network_token_id = ? ORDER BY seq'
  return sql<NetworkTokenSource>(db, query).all(network_token_id)
}

/**
 * Returns the `_extras` of a card with network tokens; nothing without any. Links that are older than the row belong
 * to a deleted one with the same id.
 */
export function toNetworkTokenExtras(
  db: Database,
  kind: NetworkTokenSource['kind'],
  { id, type, created_at }: { readonly id: string; readonly type: string; readonly created_at: number },
): { _extras?: { network_token_ids: string[] } } {
  if (type !== 'card') return {}
  const network_token_ids = sql<string>(db, selectIds).pluck().all(id, kind, created_at)
  return network_token_ids.length > 0 ? { _extras: { network_token_ids } } : {}
}

/** Links the network tokens of a token intent to the token that it was converted to. */
export function passOnNetworkTokens(db: Database, token_intent_id: string, id: string, now: number): void {
  const ids = sql<string>(db, selectIds).pluck().all(token_intent_id, 'token_intent', 0)
  for (const each of ids) linkNetworkToken(db, each, { kind: 'token', id }, now)
}
