import { getContainerRange } from '../../../../../shared/containers.ts'
import type { Database } from '../../../db/open.ts'
import { selectRow, sql } from '../../../db/statement.ts'
import type { PairLookup } from '../pairs.ts'

/** The tokens of a numbered list: those that meet these conditions, or all without any (rules L-06, L-07). */
export type Candidates = {
  readonly ids?: readonly string[]
  /** The metadata pairs that a token must have, regardless of case. */
  readonly metadata?: readonly PairLookup[]
  /** The digest of a search index value that the token must have. */
  readonly index?: Buffer
}

/** The scopes that the caller may read, and the current time, by which tokens expire (rules P-09, T-14). */
export type ReadScope = { readonly scopes: readonly string[]; readonly now: number }

/**
 * A SELECT of `container`, `created_at`, `id` and `found`, the number of index rows that led to the token. It reads
 * at most `MAX_CANDIDATES` + 1 index rows. Null represents all tokens.
 */
export type SelectSource = SelectPart | null

type SelectPart = { readonly source: string; readonly values: readonly (string | number | Buffer)[] }
type TokenSortKey = { readonly container: string; readonly created_at: number; readonly id: string }

/** The maximum number of tokens that a condition may match to be counted and sorted (rule R-03). */
const MAX_CANDIDATES = 10_000

/** The maximum number of index rows that a page of all tokens may skip, and of lookups for several conditions. */
const MAX_SKIPPED_ROWS = 100_000
const MAX_PAIR_CHECKS = 10_000

/** The maximum number of spellings of one metadata pair that are checked. They differ only in case. */
const MAX_SPELLINGS = 20

/**
 * Returns the candidates as a source, or undefined if there are too many to sort or to check. Of several
 * conditions, all but the rarest are checked on each token that meets the rarest one.
 */
export function buildSource(
  db: Database,
  { ids, metadata = [], index }: Candidates,
): SelectSource | undefined {
  if (index) {
    return limitCandidates({
      source: 'SELECT container, created_at, id FROM token_index WHERE digest = ?',
      values: [index],
    })
  }
  const [only] = metadata
  if (!ids && !only) return null
  if (!ids && only && metadata.length === 1) {
    return limitCandidates({
      source: `SELECT container, created_at, id FROM ${only.table} WHERE folded = ?`,
      values: [only.folded],
    })
  }
  const keys = findMatchingKeys(db, metadata, ids)
  return keys && limitCandidates(selectByIds(keys.map(({ id }) => id)))
}

function selectByIds(ids: readonly string[]): SelectPart {
  return {
    source: 'SELECT container, created_at, id FROM token WHERE id IN (SELECT value FROM json_each(?))',
    values: [JSON.stringify(ids)],
  }
}

function limitCandidates({ source, values }: SelectPart): SelectPart {
  return {
    source: `(SELECT container, created_at, id, count(*) AS found FROM (${source} LIMIT ${MAX_CANDIDATES + 1})
      GROUP BY container, created_at, id)`,
    values,
  }
}

/** Returns the tokens with all pairs and, if `ids` is set, one of the ids; undefined if that would take too long. */
function findMatchingKeys(
  db: Database,
  pairs: readonly PairLookup[],
  ids?: readonly string[],
): TokenSortKey[] | undefined {
  const spellings = pairs.map((pair) => ({ pair, exacts: listSpellings(db, pair) }))
  const checks = spellings.reduce((sum, { exacts }) => sum + exacts.length, 1)
  if (spellings.some(({ exacts }) => exacts.length > MAX_SPELLINGS)) return undefined
  const maxKeys = Math.floor(MAX_PAIR_CHECKS / checks)
  const keys = ids ? findKeysById(db, ids) : findRarestKeys(db, pairs, maxKeys + 1)
  if (keys.length > maxKeys) return undefined
  return keys.filter((key) =>
    spellings.every(({ pair, exacts }) => exacts.some((exact) => hasPair(db, { ...pair, exact }, key))),
  )
}

/** Lists the spellings in which a metadata pair is stored. Each takes one seek, however many tokens have it. */
function listSpellings(db: Database, { table, folded }: PairLookup): Buffer[] {
  const exacts: Buffer[] = []
  let last: Buffer | null = Buffer.alloc(0)
  while (last && exacts.length <= MAX_SPELLINGS) {
    const query = `SELECT exact FROM ${table} WHERE folded = ? AND exact > ? ORDER BY exact LIMIT 1`
    const row = sql<{ exact: Buffer }>(db, query).get(folded, last)
    last = row?.exact ?? null
    if (last) exacts.push(last)
  }
  return exacts
}

/** Returns up to `limit` tokens with the rarest pair; a token occurs once for each of its spellings of the pair. */
function findRarestKeys(db: Database, pairs: readonly PairLookup[], limit: number): TokenSortKey[] {
  let best: TokenSortKey[] | undefined
  for (const { table, folded } of pairs) {
    const query = `SELECT container, created_at, id FROM ${table} WHERE folded = ? LIMIT ?`
    const keys = sql<TokenSortKey>(db, query).all(folded, best?.length ?? limit)
    if (!best || keys.length < best.length) best = keys
    if (best.length === 0) break
  }
  return best ?? []
}

function findKeysById(db: Database, ids: readonly string[]): TokenSortKey[] {
  const { source, values } = selectByIds(ids)
  return sql<TokenSortKey>(db, source).all(...values)
}

function hasPair(
  db: Database,
  { table, folded, exact }: PairLookup,
  { container, created_at, id }: TokenSortKey,
): boolean {
  const query = `SELECT 1 FROM ${table} WHERE folded = ? AND exact = ? AND container = ? AND created_at = ? AND id = ?`
  const row = sql(db, query).get(folded, exact, container, created_at, id)
  return row !== undefined
}

function buildScopeCondition(scopes: readonly string[]): SelectPart {
  if (scopes.includes('/')) return { source: '1', values: [] }
  return {
    source: `(${scopes.map(() => '(container >= ? AND container < ?)').join(' OR ') || '0'})`,
    values: scopes.flatMap(getContainerRange),
  }
}

/** Builds the condition for tokens that are in a scope through a secondary container. */
function buildMemberSource(scopes: readonly string[]): SelectPart {
  const ancestors = scopes.filter((scope) => scope !== '/')
  return {
    source: `token_membership WHERE ancestor IN (${ancestors.map(() => '?').join(', ')})`,
    values: ancestors,
  }
}

const expiredSource = 'token INDEXED BY token_by_expiry WHERE expires_at <= ?'

function buildReadCondition({ scopes, now }: ReadScope): SelectPart {
  const within = buildScopeCondition(scopes)
  const members = buildMemberSource(scopes)
  const byMembership = members.values.length > 0 ? ` OR id IN (SELECT id FROM ${members.source})` : ''
  return {
    source: `(${within.source}${byMembership}) AND id NOT IN (SELECT id FROM ${expiredSource})`,
    values: [...within.values, ...members.values, now],
  }
}

/** Whether more than `MAX_CANDIDATES` tokens have expired but are not deleted yet. */
export function hasManyExpired(db: Database, now: number): boolean {
  return hasMany(db, { source: expiredSource, values: [now] })
}

/** Whether more than `MAX_CANDIDATES` tokens are in the scopes through a secondary container. */
export function hasManyMembers(db: Database, { scopes }: ReadScope): boolean {
  return hasMany(db, buildMemberSource(scopes))
}

function hasMany(db: Database, { source, values }: SelectPart): boolean {
  const limit = MAX_CANDIDATES + 1
  const query = `SELECT count(*) AS met FROM (SELECT 1 FROM ${source} LIMIT ?)`
  const { met } = selectRow<{ met: number }>(db, query, ...values, limit)
  return met === limit
}

/** Returns the number of candidates that the caller may read; null if there are too many to count (rule L-05). */
export function countTokens(db: Database, source: SelectSource, readable: ReadScope): number | null {
  const { source: text, values } = source ? buildCountQuery(source, readable) : buildCountAllQuery(readable)
  const { met, total } = selectRow<{ met: number; total: number }>(db, text, ...values)
  return met > MAX_CANDIDATES ? null : total
}

function buildCountQuery(source: SelectPart, readable: ReadScope): SelectPart {
  const condition = buildReadCondition(readable)
  return {
    source: `SELECT coalesce(sum(found), 0) AS met, count(*) FILTER (WHERE ${condition.source}) AS total
      FROM ${source.source}`,
    values: [...condition.values, ...source.values],
  }
}

/** Counts with the stored counters of the containers, so that the cost does not grow with the vault. */
function buildCountAllQuery({ scopes, now }: ReadScope): SelectPart {
  const within = buildScopeCondition(scopes)
  const members = buildMemberSource(scopes)
  return {
    source: `SELECT 0 AS met, (SELECT coalesce(sum(tokens), 0) FROM token_count WHERE ${within.source})
      + (SELECT count(DISTINCT id) FROM ${members.source} AND NOT ${within.source})
      - (SELECT count(*) FROM ${expiredSource}
         AND (${within.source} OR id IN (SELECT id FROM ${members.source}))) AS total`,
    values: [...within.values, ...members.values, ...within.values, now, ...within.values, ...members.values],
  }
}

const newestFirst = 'ORDER BY created_at DESC, id DESC'

/** The maximum number of tokens that are collected container by container. For more, all tokens are walked. */
const MAX_GATHERED_TOKENS = 2_000

/**
 * Selects the newest unexpired tokens of each container in the scopes, at most `max` per container. Returns null if
 * there could be too many in total.
 */
function selectNewestIn(db: Database, { scopes, now }: ReadScope, max: number): SelectPart | null {
  if (scopes.includes('/')) return null
  const { gone: expiredCount } = selectRow<{
    gone: number
  }>(db, `SELECT count(*) AS gone FROM ${expiredSource}`, now)
  const each = Math.max(1, max + expiredCount)
  const maxContainers = Math.floor(MAX_GATHERED_TOKENS / each)
  const query = `SELECT DISTINCT container FROM token_count WHERE tokens > 0 AND container >= ? AND container < ? LIMIT ?`
  const containers = sql<string>(db, query).pluck()
  const paths: string[] = []
  for (const scope of scopes) {
    paths.push(...containers.all(...getContainerRange(scope), maxContainers + 1 - paths.length))
    if (paths.length > maxContainers) return null
  }
  const members = buildMemberSource(scopes)
  const memberIds = sql<string>(db, `SELECT id FROM ${members.source} LIMIT ?`)
    .pluck()
    .all(...members.values, MAX_GATHERED_TOKENS + 1)
  if (memberIds.length > MAX_GATHERED_TOKENS) return null
  const newest = sql(
    db,
    `SELECT id FROM token INDEXED BY token_by_container WHERE container = ? ${newestFirst} LIMIT ?`,
  ).pluck()
  const { source, values } = selectByIds([
    ...paths.flatMap((container) => newest.all(container, each) as string[]),
    ...memberIds,
  ])
  return { source: `(${source})`, values }
}

/**
 * Returns the ids of one page of the candidates that the caller may read, newest first (rule L-05). Without a source,
 * it reads only a limited number of the newest tokens, so a page far down the list has fewer ids than it should.
 */
export function findPage(
  db: Database,
  source: SelectSource,
  readable: ReadScope,
  limit: number,
  offset: number,
): string[] {
  const maxSkipped = Math.floor(MAX_SKIPPED_ROWS / Math.max(1, readable.scopes.length))
  const from = source ??
    selectNewestIn(db, readable, offset + limit) ?? {
      source: `(SELECT container, created_at, id FROM token INDEXED BY token_by_created ${newestFirst} LIMIT ?)`,
      values: [maxSkipped],
    }
  const condition = buildReadCondition(readable)
  const query = `SELECT id FROM ${from.source} WHERE ${condition.source} ${newestFirst} LIMIT ? OFFSET ?`
  const rows = sql<{ id: string }>(db, query).all(...from.values, ...condition.values, limit, offset)
  return rows.map((row) => row.id)
}
