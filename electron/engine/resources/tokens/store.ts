import { listScopes } from '../../../../shared/containers.ts'
import type { StoredToken } from '../../../../shared/schemas/token-batch.ts'
import type { Keyring, VaultStorage } from '../../crypto/keyring.ts'
import { recordChange } from '../../db/changes.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import { deleteTokenFromReplays } from '../../pipeline/idempotency.ts'
import { deletePairs, insertPairs, type PairedToken } from './pairs.ts'
import { getMetadataPairs } from './terms/metadata.ts'
import { deleteTerms, insertTerms, lowerTermProgress } from './terms/terms.ts'

/** A token as stored. `data` is sealed. Null in a column means the default of the type or, without one, no value. */
export type TokenRow = {
  id: string
  type: string
  container: string
  created_at: number
  data: Buffer
  /** JSON array; null if the token is only in its primary container. */
  containers: string | null
  mask: string | null
  metadata: string | null
  search_indexes: string | null
  /** The digests of the token's search index values, 16 bytes each; null if it has none. */
  index_digests: Buffer | null
  fingerprint_expression: string | null
  fingerprint: Buffer | null
  expires_at: number | null
  expires_text: string | null
  /** When the cvc of the data was stored, in epoch ms; null if there is none. */
  cvc_stored_at: number | null
  created_by: string | null
  modified_by: string | null
  modified_at: number | null
}

/** The columns that are needed to use a token's data without showing the token. */
export type UsedToken = Pick<
  TokenRow,
  'id' | 'type' | 'container' | 'containers' | 'data' | 'mask' | 'cvc_stored_at'
>

const DIGEST_BYTES = 16

const columns = `id, type, container, created_at, data, containers, mask, metadata, search_indexes, index_digests,
  fingerprint_expression, fingerprint, expires_at, expires_text, cvc_stored_at, created_by, modified_by, modified_at`

// Built once, because prepared statements are looked up by their SQL, and a new string would have to be hashed on
// every call.
const selectById = `SELECT ${columns} FROM token WHERE id = ? AND (expires_at IS NULL OR expires_at > ?)`
const selectUsed = `SELECT id, type, container, containers, data, mask, cvc_stored_at FROM token
  WHERE id = ? AND (expires_at IS NULL OR expires_at > ?)`
const selectOfAnyAge = `SELECT ${columns} FROM token WHERE id = ?`
const selectNumbered = `SELECT seq, ${columns} FROM token WHERE id = ?`
const selectDuplicates = `SELECT ${columns} FROM token WHERE fingerprint = @fingerprint AND type = @type AND id <> @except
  AND (expires_at IS NULL OR expires_at > @now) ORDER BY seq LIMIT @limit`
const insertion = `INSERT INTO token (${columns}) VALUES (${columns.replace(/\w+/g, '?')})`

/** Returns a token that has not expired at `now`, or undefined (rule T-14). */
export function findToken(db: Database, id: string, now: number): TokenRow | undefined {
  return sql<TokenRow>(db, selectById).get(id, now)
}

/** Like `findToken`, but reads only the columns needed to use a token, because reading each column takes time. */
export function findUsedToken(db: Database, id: string, now: number): UsedToken | undefined {
  return sql<UsedToken>(db, selectUsed).get(id, now)
}

/** Returns the ids of the tokens created in a primary container in the same millisecond. */
export function listIdsAt(db: Database, container: string, created_at: number): string[] {
  const query = 'SELECT id FROM token WHERE container = ? AND created_at = ?'
  const rows = sql<{ id: string }>(db, query).all(container, created_at)
  return rows.map((row) => row.id)
}

/** Returns a token by id, whether it has expired or not; undefined if it does not exist. */
export function findTokenOfAnyAge(db: Database, id: string): TokenRow | undefined {
  return sql<TokenRow>(db, selectOfAnyAge).get(id)
}

/** A token with its `seq`, a number in the order of creation that no other token has while this one exists. */
type NumberedRow = TokenRow & { readonly seq: number }

/** Like `findTokenOfAnyAge`, but includes the `seq`. */
function findNumberedRow(db: Database, id: string): NumberedRow | undefined {
  return sql<NumberedRow>(db, selectNumbered).get(id)
}

/** Returns up to `limit` tokens after a `seq`, in the order of creation, including expired ones. */
export function findTokensAfter(db: Database, seq: number, limit: number): { seq: number; id: string }[] {
  const query = 'SELECT seq, id FROM token WHERE seq > ? ORDER BY seq LIMIT ?'
  return sql<{ seq: number; id: string }>(db, query).all(seq, limit)
}

/** Returns the ids of up to `limit` tokens that have expired at `now` (rule T-14). */
export function findExpiredTokens(db: Database, now: number, limit: number): string[] {
  const ids = sql<string>(db, 'SELECT id FROM token WHERE expires_at <= ? LIMIT ?').pluck()
  return ids.all(now, limit)
}

/** Returns up to `limit` cards whose cvc was stored more than `retention_ms` before or after `now` (rule T-15). */
export function findTokensWithOldCvc(
  db: Database,
  now: number,
  retention_ms: number,
  limit: number,
): TokenRow[] {
  const query = `SELECT ${columns} FROM token WHERE cvc_stored_at <= ? OR cvc_stored_at >= ? LIMIT ?`
  return sql<TokenRow>(db, query).all(now - retention_ms, now + retention_ms, limit)
}

/**
 * Yields up to `limit` tokens with a type and a fingerprint, oldest first, except the token with id `except` (rules
 * T-10, T-13). The caller must not write to the database inside the loop.
 */
export function findDuplicates(
  db: Database,
  { type, fingerprint, except, now }: { type: string; fingerprint: Buffer; except: string; now: number },
  limit: number,
): IterableIterator<TokenRow> {
  const rows = sql<TokenRow>(db, selectDuplicates).iterate({ type, fingerprint, except, now, limit })
  return rows
}

/** Stores a new token with its index entries, and adds it to the counters. */
export function insertToken(vault: VaultStorage, row: TokenRow): void {
  insertTokenRow(vault, row)
  insertPairs(vault.db, vault.keyring, [toPairedToken(row)])
  addToTokenCounts(vault.db, row, 1)
}

/** Returns a token's position and metadata pairs, for `insertPairs`. */
export function toPairedToken(
  row: Pick<TokenRow, 'container' | 'created_at' | 'id' | 'metadata'>,
): PairedToken {
  const { container, created_at, id } = row
  return { container, created_at, id, members: getMetadataPairs(row) }
}

/** Like `insertToken`, but leaves it to the caller to insert the pairs and to count. Returns the token's `seq`. */
export function insertTokenRow({ db }: VaultStorage, row: TokenRow): number {
  // Uses positional parameters, in the order of the columns, because each named one would cost a lookup.
  const { lastInsertRowid } = sql(db, insertion).run(
    row.id,
    row.type,
    row.container,
    row.created_at,
    row.data,
    row.containers,
    row.mask,
    row.metadata,
    row.search_indexes,
    row.index_digests,
    row.fingerprint_expression,
    row.fingerprint,
    row.expires_at,
    row.expires_text,
    row.cvc_stored_at,
    row.created_by,
    row.modified_by,
    row.modified_at,
  )
  insertDigestsAndMemberships(db, row)
  recordChange(db, 'token', 'created', row.id)
  return Number(lastInsertRowid)
}

/** Returns the `seq`, creation time and expiry time of a token, or null if it does not exist. */
export function findStoredToken(db: Database, id: string): StoredToken | null {
  const row = sql<StoredToken>(db, 'SELECT seq, created_at, expires_at FROM token WHERE id = ?').get(id)
  return row ?? null
}

/** Adds `tokens` to the counters of a type and a primary container. */
export function addToTokenCounts(
  db: Database,
  { type, container, created_at }: Pick<TokenRow, 'type' | 'container' | 'created_at'>,
  tokens: number,
): void {
  const statement = `INSERT INTO token_count (type, container, tokens, last_created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
     SET tokens = tokens + excluded.tokens, last_created_at = max(last_created_at, excluded.last_created_at)`
  sql(db, statement).run(type, container, tokens, created_at)
  const typeStatement = `INSERT INTO token_type_count (type, tokens, last_created_at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE
     SET tokens = tokens + excluded.tokens, last_created_at = max(last_created_at, excluded.last_created_at)`
  sql(db, typeStatement).run(type, tokens, created_at)
}

/** Replaces a token's content and index entries. The id, type and creation time stay the same. */
export function updateToken({ db, keyring }: VaultStorage, before: TokenRow, after: TokenRow): void {
  const stored = findNumberedRow(db, before.id)
  const isSame =
    stored?.data.equals(after.data) && stored.mask === after.mask && stored.metadata === after.metadata
  deleteLookups(db, keyring, before)
  if (stored && !isSame) deleteTerms(db, keyring, stored)
  sql(
    db,
    `UPDATE token SET container = @container, data = @data, containers = @containers, mask = @mask,
     metadata = @metadata, search_indexes = @search_indexes, index_digests = @index_digests,
     fingerprint_expression = @fingerprint_expression, fingerprint = @fingerprint, expires_at = @expires_at,
     expires_text = @expires_text, cvc_stored_at = @cvc_stored_at, modified_by = @modified_by,
     modified_at = @modified_at WHERE id = @id`,
  ).run({
    id: after.id,
    container: after.container,
    data: after.data,
    containers: after.containers,
    mask: after.mask,
    metadata: after.metadata,
    search_indexes: after.search_indexes,
    index_digests: after.index_digests,
    fingerprint_expression: after.fingerprint_expression,
    fingerprint: after.fingerprint,
    expires_at: after.expires_at,
    expires_text: after.expires_text,
    cvc_stored_at: after.cvc_stored_at,
    modified_by: after.modified_by,
    modified_at: after.modified_at,
  })
  insertPairs(db, keyring, [toPairedToken(after)])
  insertDigestsAndMemberships(db, after)
  if (stored && !isSame) insertTerms(db, keyring, { ...after, seq: stored.seq })
  recordChange(db, 'token', 'updated', after.id)
}

/** Deletes a token and its index entries (rule T-11). */
export function deleteToken({ db, keyring }: VaultStorage, id: string): void {
  const row = findNumberedRow(db, id)
  if (!row) return
  deleteLookups(db, keyring, row)
  deleteTerms(db, keyring, row)
  deleteTokenFromReplays(db, id)
  sql(db, 'DELETE FROM token WHERE id = ?').run(id)
  lowerTermProgress(db)
  recordChange(db, 'token', 'deleted', id)
}

/** Returns the containers of a row, the primary one first. */
export function getContainers(row: Pick<TokenRow, 'container' | 'containers'>): string[] {
  return row.containers === null ? [row.container] : (JSON.parse(row.containers) as string[])
}

/** Describes a deleted token for the log, without its data (rule T-11). */
export function describeDeletedToken(row: TokenRow): string {
  return `${row.type} in ${getContainers(row).join(' ')}`
}

/** Yields the digests of a row's search index values. */
export function* iterateIndexDigests(row: Pick<TokenRow, 'index_digests'>): Generator<Buffer> {
  const all = row.index_digests
  for (let at = 0; all && at < all.length; at += DIGEST_BYTES) yield all.subarray(at, at + DIGEST_BYTES)
}

function* iterateMemberships(row: TokenRow): Generator<string> {
  if (row.containers !== null) yield* new Set(getContainers(row).flatMap(listScopes))
}

/** Inserts the index entries of a row's search index values. */
export function insertIndexDigests(db: Database, row: TokenRow): void {
  const { container, created_at, id } = row
  for (const digest of iterateIndexDigests(row)) {
    const statement =
      'INSERT OR IGNORE INTO token_index (digest, container, created_at, id) VALUES (?, ?, ?, ?)'
    sql(db, statement).run(digest, container, created_at, id)
  }
}

function insertDigestsAndMemberships(db: Database, row: TokenRow): void {
  const { container, created_at, id } = row
  insertIndexDigests(db, row)
  for (const ancestor of iterateMemberships(row)) {
    const statement = 'INSERT INTO token_membership (ancestor, container, created_at, id) VALUES (?, ?, ?, ?)'
    sql(db, statement).run(ancestor, container, created_at, id)
  }
}

function deleteLookups(db: Database, keyring: Keyring, row: TokenRow): void {
  const { container, created_at, id } = row
  deletePairs(db, keyring, row, getMetadataPairs(row))
  for (const digest of iterateIndexDigests(row)) {
    sql(db, 'DELETE FROM token_index WHERE digest = ? AND container = ? AND created_at = ? AND id = ?').run(
      digest,
      container,
      created_at,
      id,
    )
  }
  for (const ancestor of iterateMemberships(row)) {
    const statement =
      'DELETE FROM token_membership WHERE ancestor = ? AND container = ? AND created_at = ? AND id = ?'
    sql(db, statement).run(ancestor, container, created_at, id)
  }
}
