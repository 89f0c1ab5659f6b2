import { getContainerRange, includesContainer } from '../../../../../shared/containers.ts'
import type { Position } from '../../../../../shared/token-order.ts'
import type { Database } from '../../../db/open.ts'
import { sql } from '../../../db/statement.ts'
import type { PairLookup } from '../pairs.ts'
import { findToken, getContainers, iterateIndexDigests, type TokenRow } from '../store.ts'
import { getMetadataPairs } from '../terms/metadata.ts'
import { findContainerSince, findLastMove } from './container-moves.ts'
import { type MergeSource, mergeSources } from './merge-sources.ts'

/** The filter of a walk; a walk has exactly one (rule L-01). */
export type WalkFilter =
  | { readonly by: 'all' }
  | { readonly by: 'type'; readonly type: string }
  | { readonly by: 'fingerprint'; readonly fingerprint: Buffer }
  | { readonly by: 'metadata'; readonly key: string; readonly value: string; readonly pair: PairLookup }
  | { readonly by: 'index'; readonly digest: Buffer }

type WalkQuery = { readonly source: string; readonly values: readonly (string | number | Buffer)[] }

/** Returns the table whose index yields the filter's tokens in the order of the walk, with the filter's condition. */
function buildFilterSource(filter: WalkFilter): WalkQuery {
  switch (filter.by) {
    case 'all':
      return { source: 'token INDEXED BY token_by_container WHERE 1', values: [] }
    case 'type':
      return { source: 'token INDEXED BY token_by_type WHERE type = ?', values: [filter.type] }
    case 'fingerprint':
      return {
        source: 'token INDEXED BY token_by_fingerprint WHERE fingerprint = ?',
        values: [filter.fingerprint],
      }
    case 'metadata': {
      const { table, folded, exact } = filter.pair
      return { source: `${table} WHERE folded = ? AND exact = ?`, values: [folded, exact] }
    }
    case 'index':
      return { source: 'token_index WHERE digest = ?', values: [filter.digest] }
  }
}

/** Returns the filter as a condition on the key `k`, for keys found through a secondary container. */
export function buildKeyCondition(filter: WalkFilter): WalkQuery {
  if (filter.by === 'all') return { source: '1', values: [] }
  const { source, values } = buildFilterSource(filter)
  const table = source.replace(/ INDEXED BY \w+/, '')
  return {
    source: `EXISTS (SELECT 1 FROM ${table} AND container = k.container AND created_at = k.created_at AND id = k.id)`,
    values,
  }
}

const afterPosition = '(container, created_at, id) < (?, ?, ?)'

/**
 * Selects the tokens whose primary container is in a scope; null if none can come after the position. The query has
 * a single upper bound, because SQLite seeks to one bound only and would scan every row between two.
 */
function buildPrimaryQuery(filter: WalkFilter, scope: string, after: Position | null): WalkQuery | null {
  const [from, to] = getContainerRange(scope)
  if (after !== null && after[0] < from) return null
  const { source, values } = buildFilterSource(filter)
  const isInside = after !== null && after[0] < to
  return {
    source: `SELECT container, created_at, id FROM ${source} AND container >= ? AND ${isInside ? afterPosition : 'container < ?'}`,
    values: [...values, from, ...(isInside ? after : [to])],
  }
}

/**
 * Selects the tokens in a scope through a secondary container; null for the scope of all tokens. Includes tokens
 * that do not match the filter, because skipping them in the query could mean reading any number of rows.
 */
function buildMemberQuery(scope: string, after: Position | null): WalkQuery | null {
  if (scope === '/') return null
  return {
    source: `SELECT container, created_at, id FROM token_membership WHERE ancestor = ?${after ? ` AND ${afterPosition}` : ''}`,
    values: [scope, ...(after ?? [])],
  }
}

/** Selects the positions that tokens have left since a walk began. */
function buildMovedQuery(since: number, after: Position | null): WalkQuery {
  return {
    source: `SELECT container, created_at, id FROM token_move WHERE seq > ?${after ? ` AND ${afterPosition}` : ''}`,
    values: [since, ...(after ?? [])],
  }
}

/** Selects the tokens with these ids, whatever containers they have. */
function buildIdQuery(ids: readonly string[], after: Position | null): WalkQuery {
  // The `+` prevents SQLite from using an index on the position, so that SQLite looks up the ids instead.
  return {
    source: `SELECT container, created_at, id FROM token WHERE id IN (SELECT value FROM json_each(?))${after ? ` AND ${afterPosition.replace('container', '+container')}` : ''}`,
    values: [JSON.stringify(ids), ...(after ?? [])],
  }
}

const walkOrder = 'ORDER BY container DESC, created_at DESC, id DESC LIMIT ?'

/** Queries the keys in a scope in order (L-03); those of a secondary container may not match the filter. */
export function buildKeysQuery(filter: WalkFilter, scope: string): WalkQuery {
  const queries = [buildPrimaryQuery(filter, scope, null), buildMemberQuery(scope, null)].filter(
    (arm) => arm !== null,
  )
  return {
    source: `${queries.map((arm) => arm.source).join(' UNION ')} ${walkOrder}`,
    values: queries.flatMap((arm) => arm.values),
  }
}

/**
 * Returns two ordered queries for the keys in a scope after a position: through the primary container, and through
 * a secondary one. A query that can have no results is null.
 */
export function buildScopeQueries(filter: WalkFilter, scope: string, after: Position | null) {
  const [primary, member] = [buildPrimaryQuery(filter, scope, after), buildMemberQuery(scope, after)]
  return { primary: primary && orderQuery(primary), member: member && orderQuery(member) }
}

function orderQuery({ source, values }: WalkQuery): WalkQuery {
  return { source: `${source} ${walkOrder}`, values }
}

/** Creates the sources of a walk's positions. If tokens have `moved`, includes the positions that they left. */
function createSources(
  db: Database,
  { filter, scopes, ids, since }: TokenWalk,
  moved: boolean,
  first: number,
): MergeSource[] {
  const runQuery = (query: WalkQuery | null, limit: number): Position[] => {
    if (!query) return []
    const statement = sql<Position>(db, query.source).raw()
    return statement.all(...query.values, limit)
  }
  const movedSources: MergeSource[] = moved
    ? [{ first, read: (after, limit) => runQuery(orderQuery(buildMovedQuery(since, after)), limit) }]
    : []
  if (ids)
    return [
      { first, read: (after, limit) => runQuery(orderQuery(buildIdQuery(ids, after)), limit) },
      ...movedSources,
    ]
  // No scope contains another one, so a walk, in descending order, reaches the primary containers of the last scope
  // first.
  const backwards = [...scopes].sort().reverse()
  const primary: MergeSource = {
    first,
    // One query per scope, because a combined query would need a separate prepared statement for each number of
    // scopes, and the one for a hundred scopes would take 600 kB.
    read(after, limit) {
      const positions: Position[] = []
      for (const scope of backwards) {
        positions.push(...runQuery(buildScopeQueries(filter, scope, after).primary, limit - positions.length))
        if (positions.length === limit) break
      }
      return positions
    },
  }
  // The scope of all tokens covers every token through its primary container.
  const members = scopes.includes('/')
    ? []
    : backwards.map((scope) => ({
        // With many scopes, a page needs only a few positions of each.
        first: Math.ceil(first / scopes.length),
        read: (after: Position | null, limit: number) =>
          runQuery(buildScopeQueries(filter, scope, after).member, limit),
      }))
  return [primary, ...members, ...movedSources]
}

/** Whether a token has a container in a scope. A token that has moved or was found by its id may have none. */
function isInScopes(row: TokenRow, scopes: readonly string[]): boolean {
  return getContainers(row).some((container) => scopes.some((scope) => includesContainer(scope, container)))
}

function matchesFilter(row: TokenRow, filter: WalkFilter): boolean {
  switch (filter.by) {
    case 'all':
      return true
    case 'type':
      return row.type === filter.type
    case 'fingerprint':
      return row.fingerprint?.equals(filter.fingerprint) ?? false
    case 'metadata':
      return getMetadataPairs(row).some(([key, value]) => key === filter.key && value === filter.value)
    case 'index':
      return [...iterateIndexDigests(row)].some((digest) => digest.equals(filter.digest))
  }
}

/**
 * A walk: its filter and scopes, the ids to read (null for all), the position to resume after, and the number of
 * the last move before it began.
 */
export type TokenWalk = {
  readonly filter: WalkFilter
  readonly scopes: readonly string[]
  readonly ids: readonly string[] | null
  readonly after: Position | null
  readonly since: number
}

/** A position, with the token that was there when the walk began; undefined if that token is not part of the walk. */
export type TokenWalkStep = { readonly row: TokenRow | undefined; readonly position: Position }

/**
 * Walks the tokens of a filter inside scopes, in the order of L-03, starting after a position. The first query of
 * an index reads `first` positions and later queries read more; their cost does not grow with the vault. Yields a
 * step for every position, so that the caller can limit the walk (rule R-03). Leaves out expired tokens (rule
 * T-14). A token that has moved since the walk began is yielded once, at its old position.
 */
export function* walkTokens(
  db: Database,
  walk: TokenWalk,
  now: number,
  first: number,
): Generator<TokenWalkStep> {
  const { filter, scopes, ids, after, since } = walk
  const moved = findLastMove(db) > since
  const isFiltered = filter.by !== 'all' && (moved || ids !== null || !scopes.includes('/'))
  for (const position of mergeSources(createSources(db, walk, moved, first), after)) {
    const [container, created_at, id] = position
    const row = findToken(db, id, now)
    const isMatch =
      row?.created_at === created_at &&
      (!isFiltered || matchesFilter(row, filter)) &&
      (ids === null || isInScopes(row, scopes)) &&
      (!moved ||
        (findContainerSince(db, row, since) === container &&
          (row.container === container || isInScopes(row, scopes))))
    yield { row: isMatch ? row : undefined, position }
  }
}
