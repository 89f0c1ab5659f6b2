import type { Database } from '../../../db/open.ts'
import { selectRow, selectValue, sql } from '../../../db/statement.ts'

/** The columns of a token that a search tests. Never its data. */
export type LightRow = {
  readonly seq: number
  readonly id: string
  readonly type: string
  readonly container: string
  readonly created_at: number
  readonly containers: string | null
  readonly mask: string | null
  readonly metadata: string | null
  readonly index_digests: Buffer | null
  readonly fingerprint: Buffer | null
  readonly expires_at: number | null
}

const lightColumns =
  'seq, id, type, container, created_at, containers, mask, metadata, index_digests, fingerprint, expires_at'

/** Returns the token with this `seq` (its number in the order of creation), or undefined. */
export function findLightRow(db: Database, seq: number): LightRow | undefined {
  return sql<LightRow>(db, `SELECT ${lightColumns} FROM token WHERE seq = ?`).get(seq)
}

/** Returns up to `limit` tokens after a `seq`, oldest first. */
export function listLightRowsAfter(db: Database, seq: number, limit: number): LightRow[] {
  const query = `SELECT ${lightColumns} FROM token WHERE seq > ? ORDER BY seq LIMIT ?`
  return sql<LightRow>(db, query).all(seq, limit)
}

/** A condition on `token` in SQL. */
export type TokenWhereClause = {
  readonly source: string
  readonly values: readonly (string | number | Buffer)[]
}

/** Yields the tokens that meet all conditions and whose `seq` is from `from` to `to`, both included. */
export function iterateLightRows(
  db: Database,
  [from, to]: readonly [number, number],
  order: 'ASC' | 'DESC',
  conditions: readonly TokenWhereClause[],
): IterableIterator<LightRow> {
  const where = ['seq >= ?', 'seq <= ?', ...conditions.map(({ source }) => source)].join(' AND ')
  const values = [from, to, ...conditions.flatMap((each) => each.values)]
  // `NOT INDEXED`, because with an index on a condition, SQLite would sort all matches first.
  const query = `SELECT ${lightColumns} FROM token NOT INDEXED WHERE ${where} ORDER BY seq ${order}`
  const rows = sql<LightRow>(db, query).iterate(...values)
  return rows
}

/** Returns the sealed data of an existing token. */
export function readSealedData(db: Database, seq: number): Buffer {
  return selectValue<Buffer>(db, 'SELECT data FROM token WHERE seq = ?', seq)
}

/** Returns the lowest or the highest `seq`; 0 without tokens. */
export function readSeqBound(db: Database, which: 'min' | 'max'): number {
  return Number(sql(db, `SELECT ${which}(seq) FROM token`).pluck().get() ?? 0)
}

/** Returns the number of stored tokens of a type. */
export function countTokensOfType(db: Database, type: string): number {
  return Number(sql(db, 'SELECT tokens FROM token_type_count WHERE type = ?').pluck().get(type) ?? 0)
}

/** The maximum number of counter rows that are summed. */
const MAX_COUNTERS = 1_000

/** Returns the number of tokens whose primary container is in a range; a minimum beyond 1,000 counters. */
export function countTokensIn(db: Database, containers: readonly [string, string]): number {
  const query = `SELECT coalesce(sum(tokens), 0) FROM
     (SELECT tokens FROM token_count WHERE container >= ? AND container < ? LIMIT ${MAX_COUNTERS})`
  return selectValue<number>(db, query, ...containers)
}

/** Returns a query for the `seq` of tokens. Its last value is how many at most. */
function createSeqQuery<Values extends readonly (string | number | Buffer)[]>(source: string) {
  return (db: Database, ...values: readonly [...Values, limit: number]): number[] =>
    sql<number>(db, source)
      .pluck()
      .all(...values)
}

/** Returns the `seq` of up to `limit` expired tokens. */
export const listExpiredSeqs = createSeqQuery<[now: number]>(
  'SELECT seq FROM token INDEXED BY token_by_expiry WHERE expires_at <= ? LIMIT ?',
)

const inContainer = createSeqQuery<[string, string]>(
  'SELECT seq FROM token INDEXED BY token_by_container WHERE container >= ? AND container < ? LIMIT ?',
)
const belowContainer = createSeqQuery<[string, string]>(
  `SELECT token.seq FROM token_membership m JOIN token ON token.id = m.id
   WHERE m.ancestor >= ? AND m.ancestor < ? LIMIT ?`,
)
const inIds = createSeqQuery<[string, string]>('SELECT seq FROM token WHERE id >= ? AND id < ? LIMIT ?')

/** Queries for the `seq` of up to `limit` tokens, one for each kind of condition. */
export const seqQueries = {
  type: createSeqQuery<[string]>('SELECT seq FROM token INDEXED BY token_by_type WHERE type = ? LIMIT ?'),
  fingerprint: createSeqQuery<[Buffer]>(
    'SELECT seq FROM token INDEXED BY token_by_fingerprint WHERE fingerprint = ? LIMIT ?',
  ),
  id: createSeqQuery<[string]>('SELECT seq FROM token WHERE id = ? LIMIT ?'),
  creation: createSeqQuery<[first: number, last: number, at: number]>(
    'SELECT seq FROM token WHERE seq BETWEEN ? AND ? AND created_at = ? LIMIT ?',
  ),
  idPrefix: (db: Database, text: string, limit: number) => inIds(db, text, `${text}\u{10ffff}`, limit),
  digest: createSeqQuery<[Buffer]>(
    'SELECT token.seq FROM token_index JOIN token ON token.id = token_index.id WHERE digest = ? LIMIT ?',
  ),
  term: createSeqQuery<[Buffer]>('SELECT seq FROM token_term WHERE term = ? LIMIT ?'),
  terms: createSeqQuery<[from: Buffer, to: Buffer]>(
    'SELECT seq FROM token_term WHERE term >= ? AND term < ? LIMIT ?',
  ),
  containers: (db: Database, range: readonly [string, string], limit: number) => [
    ...inContainer(db, ...range, limit),
    ...belowContainer(db, ...range, limit),
  ],
}

/** A token's place in lists (by container, creation and id), and its `seq` in the order of creation. */
export type TokenPlacement = {
  readonly container: string
  readonly created_at: number
  readonly id: string
  readonly seq: number
}

/** Returns up to `limit` tokens after a position in the order of lists, or before it, in the other order. */
export function listPlacementsAfter(
  db: Database,
  after: readonly [string, number, string] | null,
  limit: number,
  isBackwards: boolean,
  offset = 0,
): TokenPlacement[] {
  const [beyond, order] = isBackwards ? ['>', 'ASC'] : ['<', 'DESC']
  const where = after ? `WHERE (container, created_at, id) ${beyond} (?, ?, ?)` : ''
  const query = `SELECT container, created_at, id, seq FROM token INDEXED BY token_by_container ${where}
     ORDER BY container ${order}, created_at ${order}, id ${order} LIMIT ? OFFSET ?`
  return sql<TokenPlacement>(db, query).all(...(after ?? []), limit, offset)
}

/** The tokens whose `seq` is between two others, both excluded: how many, at most `limit`, and the last one reached. */
export function countSeqsBetween(
  db: Database,
  [from, to]: readonly [number, number],
  order: 'ASC' | 'DESC',
  limit: number,
): { readonly tokens: number; readonly last: number } {
  const last = order === 'DESC' ? 'min' : 'max'
  const query = `SELECT count(*) AS tokens, coalesce(${last}(seq), 0) AS last FROM
     (SELECT seq FROM token NOT INDEXED WHERE seq > ? AND seq < ? ORDER BY seq ${order} LIMIT ?)`
  return selectRow(db, query, from, to, limit)
}

/** Returns the `seq` of the newest token created until a time, or of the oldest since then; undefined without one. */
export function findSeqAt(db: Database, at: number, which: 'until' | 'since'): number | undefined {
  const [compared, order] = which === 'until' ? ['<=', 'DESC'] : ['>=', 'ASC']
  const query = `SELECT seq FROM token INDEXED BY token_by_created WHERE created_at ${compared} ?
     ORDER BY created_at ${order}, id ${order} LIMIT 1`
  return sql<number>(db, query).pluck().get(at)
}
