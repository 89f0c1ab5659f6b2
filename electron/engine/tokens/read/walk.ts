import { containerRange, covers } from '../../../../shared/containers.ts'
import type { Position } from '../../../../shared/token-order.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import type { Pair } from '../pairs.ts'
import { containersOf, findToken, indexDigestsOf, type TokenRow } from '../store.ts'
import { metadataOf } from '../terms/metadata.ts'
import { containerSince, lastMove } from './container-moves.ts'

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

/** The filter as a condition on the key `k`, for keys found through another container of a token. */
export function conditionOn(filter: Filter): Arm {
  if (filter.by === 'all') return { source: '1', values: [] }
  const { source, values } = sourceOf(filter)
  const table = source.replace(/ INDEXED BY \w+/, '')
  return {
    source: `EXISTS (SELECT 1 FROM ${table} AND container = k.container AND created_at = k.created_at AND id = k.id)`,
    values,
  }
}

/**
 * Up to two ordered selects per scope: tokens whose primary container lies in it, and tokens in it through another
 * container. The latter may not meet the filter: skipping them here could mean reading any number of rows. Each select
 * has a single upper bound: SQLite seeks to one bound only, and would scan every row up to a second.
 */
function armsOf(filter: Filter, scopes: readonly string[], after: Position | null): Arm[] {
  const beyond = '(container, created_at, id) < (?, ?, ?)'
  const { source, values } = sourceOf(filter)
  return scopes.flatMap((scope) => {
    const [from, to] = containerRange(scope)
    const isInside = after !== null && after[0] < to
    const primary = {
      source: `SELECT container, created_at, id FROM ${source} AND container >= ? AND ${isInside ? beyond : 'container < ?'}`,
      values: [...values, from, ...(isInside ? after : [to])],
    }
    const primaries = after !== null && after[0] < from ? [] : [primary]
    if (scope === '/') return primaries
    const member = {
      source: `SELECT container, created_at, id FROM token_membership WHERE ancestor = ?${after ? ` AND ${beyond}` : ''}`,
      values: [scope, ...(after ?? [])],
    }
    return [...primaries, member]
  })
}

/** The places that tokens have left since a walk began. */
function leftArm(since: number, after: Position | null): Arm {
  return {
    source: `SELECT container, created_at, id FROM token_move WHERE seq > ?${after ? ' AND (container, created_at, id) < (?, ?, ?)' : ''}`,
    values: [since, ...(after ?? [])],
  }
}

/**
 * Returns one ordered query for the keys in all scopes, or null if no scope has anything after the position (rule
 * L-03). Tokens found through another container than their primary one may not meet the filter. With `since`, it
 * includes the places that tokens have left since that move.
 */
export function keysQuery(
  filter: Filter,
  scopes: readonly string[],
  after: Position | null,
  since: number | null = null,
): Arm | null {
  return merged(armsOf(filter, scopes, after), after, since)
}

/** The same for the tokens with these ids, whatever their containers are. */
function namedQuery(ids: readonly string[], after: Position | null, since: number | null): Arm | null {
  // With the `+`, so that the position is no reason to walk an index up to it.
  const beyond = after ? ' AND (+container, created_at, id) < (?, ?, ?)' : ''
  const named = {
    source: `SELECT container, created_at, id FROM token WHERE id IN (SELECT value FROM json_each(?))${beyond}`,
    values: [JSON.stringify(ids), ...(after ?? [])],
  }
  return merged([named], after, since)
}

function merged(arms: Arm[], after: Position | null, since: number | null): Arm | null {
  if (since !== null) arms.push(leftArm(since, after))
  if (arms.length === 0) return null
  const union = arms.map((arm) => arm.source).join(' UNION ')
  return {
    source: `${union} ORDER BY container DESC, created_at DESC, id DESC LIMIT ?`,
    values: arms.flatMap((arm) => arm.values),
  }
}

/** Whether a token that has moved is still in a scope. */
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

/** The most keys one look-up reads. */
const MOST_KEYS = 500

/**
 * Walks the tokens of a filter inside scopes in the order of L-03, starting after a position. The first index look-up
 * reads `chunk` keys, later ones more, at a cost that does not grow with the vault. Yields a step for every key it looks
 * at, so that its caller can bound the walk (rule R-03). Expired tokens are not in the walk (rule T-14). A token that
 * has moved since the walk began is met once, at its old position.
 */
export function* walkTokens(
  db: Database,
  { filter, scopes, ids, after, since }: Walk,
  now: number,
  chunk: number,
): Generator<Step> {
  const moved = lastMove(db) > since
  const isFiltered = filter.by !== 'all' && (moved || ids !== null || !scopes.includes('/'))
  let position = after
  for (let most = chunk; ; most = Math.max(chunk, Math.min(most * 4, MOST_KEYS))) {
    const sinceMove = moved ? since : null
    const query = ids ? namedQuery(ids, position, sinceMove) : keysQuery(filter, scopes, position, sinceMove)
    if (!query) return
    const keys = sql(db, query.source).all(...query.values, most) as {
      container: string
      created_at: number
      id: string
    }[]
    for (const { container, created_at, id } of keys) {
      position = [container, created_at, id]
      const row = findToken(db, id, now)
      const isMet =
        row?.created_at === created_at &&
        (!isFiltered || matches(row, filter)) &&
        (ids === null || isIn(row, scopes)) &&
        (!moved ||
          (containerSince(db, row, since) === container &&
            (row.container === container || isIn(row, scopes))))
      yield { row: isMet ? row : undefined, position }
    }
    if (keys.length < most) return
  }
}
