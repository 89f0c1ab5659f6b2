import { isObject, type Json } from '../../../../shared/json.ts'
import { recordBulkChange, recordChange } from '../../db/changes.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import type { Context } from '../../pipeline/context.ts'

const kinds = ['token', 'token_intent'] as const

/** What a network token can be created from, besides a card in the request (rule Z-03). */
export type NetworkTokenSource = { readonly kind: (typeof kinds)[number]; readonly id: string }

/** The maximum number of links that are deleted at once. The others name a network token that never exists again. */
const MAX_UNLINKED = 1000

// Built once, because every card that is shown looks for its network tokens.
const selectLinks = 'SELECT network_token_id FROM network_token_source WHERE source_id = ? AND kind = ?'
const selectFirstLink = `${selectLinks} LIMIT 1`
const selectId = `SELECT network_token.id FROM network_token JOIN network_token_source ON network_token_id = network_token.id
  WHERE fingerprint = ? AND source_id = ? AND kind = ?`

/** Whether a database has ever had a link. Most have none, and every card that is shown asks. */
const linked = new WeakMap<Database, boolean>()

function hasLinks(db: Database): boolean {
  let isLinked = linked.get(db)
  if (isLinked === undefined) {
    isLinked = sql(db, 'SELECT 1 FROM network_token_source LIMIT 1').get() !== undefined
    linked.set(db, isLinked)
  }
  return isLinked
}

/** Links a network token to what has its card. */
export function linkNetworkToken(
  db: Database,
  network_token_id: string,
  { kind, id }: NetworkTokenSource,
): void {
  const statement =
    'INSERT INTO network_token_source (network_token_id, kind, source_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
  sql(db, statement).run(network_token_id, kind, id)
  linked.set(db, true)
  recordChange(db, kind, 'updated', id)
}

/** Removes the links of a network token that is deleted. */
export function unlinkNetworkToken(db: Database, network_token_id: string): void {
  const statement = `DELETE FROM network_token_source WHERE seq IN
     (SELECT seq FROM network_token_source WHERE network_token_id = ? LIMIT ${MAX_UNLINKED})`
  if (sql(db, statement).run(network_token_id).changes === 0) return
  for (const kind of kinds) recordBulkChange(db, kind, 'updated')
}

/** Returns the id of the first token or token intent that a network token was created from, whether it still exists or not. */
export function findSourceId(
  db: Database,
  network_token_id: string,
  kind: NetworkTokenSource['kind'],
): string | undefined {
  const query =
    'SELECT source_id FROM network_token_source WHERE network_token_id = ? AND kind = ? ORDER BY seq LIMIT 1'
  return sql<string>(db, query).pluck().get(network_token_id, kind)
}

/**
 * Returns the `_extras` of a card with a network token; nothing without one. A link alone does not count, because the
 * number of a token can change, and its id can be used again.
 */
export function toNetworkTokenExtras(
  { db, keyring }: Pick<Context, 'db' | 'keyring'>,
  { kind, id }: NetworkTokenSource,
  type: string,
  data: Json,
): { _extras?: { network_token_ids: string[] } } {
  if (type !== 'card' || !isObject(data) || typeof data.number !== 'string') return {}
  if (!hasLinks(db) || !sql(db, selectFirstLink).get(id, kind)) return {}
  const fingerprint = keyring.computeFingerprint(type, data.number)
  const network_token_ids = sql<string>(db, selectId).pluck().all(fingerprint, id, kind)
  return network_token_ids.length > 0 ? { _extras: { network_token_ids } } : {}
}

/** Links the network tokens of a token intent to the token that it was converted to. */
export function passOnNetworkTokens(db: Database, token_intent_id: string, id: string): void {
  const ids = sql<string>(db, selectLinks).pluck().all(token_intent_id, 'token_intent')
  for (const each of ids) linkNetworkToken(db, each, { kind: 'token', id })
}
