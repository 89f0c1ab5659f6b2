import { containerRange, covers } from '../../../../shared/containers.ts'
import type { Position } from '../../../../shared/token-order.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import type { Pair } from '../pairs.ts'
import { containersOf, findToken, indexDigestsOf, type TokenRow } from '../store.ts'
import { metadataOf } from '../terms/metadata.ts'
import { containerSince, lastMove } from './container-moves.ts'
import { merged, type Source } from './merged.ts'

/** The one filter a walk can have (rule L-01). */
export type Filter =
  | { readonly by: 'all' }
  | { readonly by: 'type'; readonly type: string }
  | { readonly by: 'fingerprint'; readonly fingerprint: Buffer }
  | { readonly by: 'metadata'; readonly key: string; readonly value: string; readonly pair: Pair }
  | { readonly by: 'index'; readonly digest: Buffer }

type Arm = { readonly source: string; readonly values: readonly (string | number | Buffer)[] }

/** The table whose index yields the filter's tokens in the walk's order, and its condition. */
function sourceOf(filter: Filter): Arm {
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

/** The filter as a condition on the key `k`, for keys found through a container other than the primary one. */
export function conditionOn(filter: Filter): Arm {
  if (filter.by === 'all') return { source: '1', values: [] }
  const { source, values } = sourceOf(filter)
  const table = source.replace(/ INDEXED BY \w+/, '')
  return {
    source: `EXISTS (SELECT 1 FROM ${table} AND container = k.container AND created_at = k.created_at AND id = k.id)`,
    values,
  }
}

const beyond = '(container, created_at, id) < (?, ?, ?)'

/**
 * The tokens whose primary container lies in a scope; null if none of them comes after the position. It has a single upper
 * bound: SQLite seeks to one bound only, and would scan every row up to a second.
 */
function primaryArm(filter: Filter, scope: string, after: Position | null): Arm | null {
  const [from, to] = containerRange(scope)
  if (after !== null && after[0] < from) return null
  const { source, values } = sourceOf(filter)
  const isInside = after !== null && after[0] < to
  return {
    source: `SELECT container, created_at, id FROM ${source} AND container >= ? AND ${isInside ? beyond : 'container < ?'}`,
    values: [...values, from, ...(isInside ? after : [to])],
  }
}

/**
 * The tokens in a scope through a container other than their primary one; null for the scope of all tokens. They may not
 * meet the filter: skipping them here could mean reading any number of rows.
 */
function memberArm(scope: string, after: Position | null): Arm | null {
  if (scope === '/') return null
  return {
    source: `SELECT container, created_at, id FROM token_membership WHERE ancestor = ?${after ? ` AND ${beyond}` : ''}`,
    values: [scope, ...(after ?? [])],
  }
}

/** The places that tokens have left since a walk began. */
function leftArm(since: number, after: Position | null): Arm {
  return {
    source: `SELECT container, created_at, id FROM token_move WHERE seq > ?${after ? ` AND ${beyond}` : ''}`,
    values: [since, ...(after ?? [])],
  }
}

/** The tokens with these ids, whatever their containers are. */
function namedArm(ids: readonly string[], after: Position | null): Arm {
  // With the `+`, so that the position is no reason to walk an index up to it.
  return {
    source: `SELECT container, created_at, id FROM token WHERE id IN (SELECT value FROM json_each(?))${after ? ` AND ${beyond.replace('container', '+container')}` : ''}`,
    values: [JSON.stringify(ids), ...(after ?? [])],
  }
}

const inOrder = 'ORDER BY container DESC, created_at DESC, id DESC LIMIT ?'

/**
 * Returns an ordered query for the keys in a scope (rule L-03). Tokens found through a container other than their primary
 * one may not meet the filter.
 */
export function keysQuery(filter: Filter, scope: string): Arm {
  const arms = [primaryArm(filter, scope, null), memberArm(scope, null)].filter((arm) => arm !== null)
  return {
    source: `${arms.map((arm) => arm.source).join(' UNION ')} ${inOrder}`,
    values: arms.flatMap((arm) => arm.values),
  }
}

/** The two ordered queries for the keys in a scope after a position; null where there can be none. */
export function scopeQueries(filter: Filter, scope: string, after: Position | null) {
  const [primary, member] = [primaryArm(filter, scope, after), memberArm(scope, after)]
  return { primary: primary && ordered(primary), member: member && ordered(member) }
}

function ordered({ source, values }: Arm): Arm {
  return { source: `${source} ${inOrder}`, values }
}

/** The sources of a walk's positions. The places that tokens have left are among them if some have `moved`. */
function sourcesOf(
  db: Database,
  { filter, scopes, ids, since }: Walk,
  moved: boolean,
  first: number,
): Source[] {
  const run = (query: Arm | null, limit: number): Position[] => {
    if (!query) return []
    const statement = sql(db, query.source).raw()
    return statement.all(...query.values, limit) as Position[]
  }
  const left: Source[] = moved
    ? [{ first, read: (after, limit) => run(ordered(leftArm(since, after)), limit) }]
    : []
  if (ids) return [{ first, read: (after, limit) => run(ordered(namedArm(ids, after)), limit) }, ...left]
  // No scope lies inside another, so the walk comes to the primary containers of the last scope first.
  const backwards = [...scopes].sort().reverse()
  const primary: Source = {
    first,
    // One query for each scope: one for all of them would differ with their number, and take 600 kB for a hundred.
    read(after, limit) {
      const found: Position[] = []
      for (const scope of backwards) {
        found.push(...run(scopeQueries(filter, scope, after).primary, limit - found.length))
        if (found.length === limit) break
      }
      return found
    },
  }
  const members = backwards.map((scope) => ({
    // A page needs few positions of each of many scopes.
    first: Math.ceil(first / scopes.length),
    read: (after: Position | null, limit: number) => run(scopeQueries(filter, scope, after).member, limit),
  }))
  return [primary, ...members, ...left]
}

/** Whether one of a token's containers is in a scope: it may have moved, or have been found by its id. */
function isIn(row: TokenRow, scopes: readonly string[]): boolean {
  return containersOf(row).some((container) => scopes.some((scope) => covers(scope, container)))
}

function matches(row: TokenRow, filter: Filter): boolean {
  switch (filter.by) {
    case 'all':
      return true
    case 'type':
      return row.type === filter.type
    case 'fingerprint':
      return row.fingerprint?.equals(filter.fingerprint) ?? false
    case 'metadata':
      return metadataOf(row).some(([key, value]) => key === filter.key && value === filter.value)
    case 'index':
      return [...indexDigestsOf(row)].some((digest) => digest.equals(filter.digest))
  }
}

/**
 * A walk: its filter and scopes, the ids outside which nothing is looked for (null for none such), the position to resume
 * after, and the last move before it began.
 */
export type Walk = {
  readonly filter: Filter
  readonly scopes: readonly string[]
  readonly ids: readonly string[] | null
  readonly after: Position | null
  readonly since: number
}

/** A position in the walk, with the token that had it when the walk began; undefined if that is not in the walk. */
export type Step = { readonly row: TokenRow | undefined; readonly position: Position }

/**
 * Walks the tokens of a filter inside scopes in the order of L-03, starting after a position. The first look-up in an
 * index reads `first` positions, later ones more, at a cost that does not grow with the vault. Yields a step for every
 * position, so that its caller can bound the walk (rule R-03). Expired tokens are not in the walk (rule T-14). A token
 * that has moved since the walk began is met once, at its old position.
 */
export function* walkTokens(db: Database, walk: Walk, now: number, first: number): Generator<Step> {
  const { filter, scopes, ids, after, since } = walk
  const moved = lastMove(db) > since
  const isFiltered = filter.by !== 'all' && (moved || ids !== null || !scopes.includes('/'))
  for (const position of merged(sourcesOf(db, walk, moved, first), after)) {
    const [container, created_at, id] = position
    const row = findToken(db, id, now)
    const isMet =
      row?.created_at === created_at &&
      (!isFiltered || matches(row, filter)) &&
      (ids === null || isIn(row, scopes)) &&
      (!moved ||
        (containerSince(db, row, since) === container && (row.container === container || isIn(row, scopes))))
    yield { row: isMet ? row : undefined, position }
  }
}
