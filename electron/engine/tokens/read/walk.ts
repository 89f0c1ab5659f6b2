import { containerRange, covers } from '../../../../shared/containers.ts'
import type { Position } from '../../../../shared/token-order.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import type { Pair } from '../pairs.ts'
import { containersOf, findToken, indexDigestsOf, metadataOf, type TokenRow } from '../store.ts'
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

/** The same filter for a token found through its membership row `m`. */
function memberConditionOf(filter: Filter): Arm {
  if (filter.by === 'all') return { source: '', values: [] }
  const { source, values } = sourceOf(filter)
  const table = source.replace(/ INDEXED BY \w+/, '')
  return {
    source: ` AND EXISTS (SELECT 1 FROM ${table} AND container = m.container AND created_at = m.created_at AND id = m.id)`,
    values,
  }
}

/**
 * Up to two ordered selects per scope: tokens whose primary container lies in it, and tokens in it through another
 * container. Each has a single upper bound: SQLite seeks to one bound only, and would scan every row up to a second.
 */
function armsOf(filter: Filter, scopes: readonly string[], after: Position | null): Arm[] {
  const beyond = '(container, created_at, id) < (?, ?, ?)'
  const { source, values } = sourceOf(filter)
  const condition = memberConditionOf(filter)
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
      source: `SELECT container, created_at, id FROM token_membership m WHERE ancestor = ?${after ? ` AND ${beyond}` : ''}${condition.source}`,
      values: [scope, ...(after ?? []), ...condition.values],
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
 * L-03). With `since`, it includes the places that tokens have left since that move.
 */
export function keysQuery(
  filter: Filter,
  scopes: readonly string[],
  after: Position | null,
  since: number | null = null,
): Arm | null {
  const arms = armsOf(filter, scopes, after)
  if (since !== null) arms.push(leftArm(since, after))
  if (arms.length === 0) return null
  const union = arms.map((arm) => arm.source).join(' UNION ')
  return {
    source: `${union} ORDER BY container DESC, created_at DESC, id DESC LIMIT ?`,
    values: arms.flatMap((arm) => arm.values),
  }
}

/** Whether a token that has moved still belongs to the walk. */
function belongs(row: TokenRow, filter: Filter, scopes: readonly string[]): boolean {
  return (
    matches(row, filter) &&
    containersOf(row).some((container) => scopes.some((scope) => covers(scope, container)))
  )
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

/** A walk: its filter and scopes, the position to resume after, and the last move before it began. */
export type Walk = {
  readonly filter: Filter
  readonly scopes: readonly string[]
  readonly after: Position | null
  readonly since: number
}

/** A token with its position in the walk: the one it had when the walk began. */
export type Step = { readonly row: TokenRow; readonly position: Position }

/**
 * Walks the tokens of a filter inside scopes in the order of L-03, starting after a position. Each index lookup reads
 * `chunk` keys, at a cost that does not grow with the vault. Expired tokens are skipped (rule T-14). A token that has
 * moved since the walk began is met once, at its old position.
 */
export function* walkTokens(
  db: Database,
  { filter, scopes, after, since }: Walk,
  now: number,
  chunk: number,
): Generator<Step> {
  const moved = lastMove(db) > since
  let position = after
  while (true) {
    const query = keysQuery(filter, scopes, position, moved ? since : null)
    if (!query) return
    const keys = sql(db, query.source).all(...query.values, chunk) as {
      container: string
      created_at: number
      id: string
    }[]
    for (const { container, created_at, id } of keys) {
      position = [container, created_at, id]
      const row = findToken(db, id, now)
      if (!row || row.created_at !== created_at) continue
      if (moved) {
        if (containerSince(db, row, since) !== container) continue
        if (row.container !== container && !belongs(row, filter, scopes)) continue
      }
      yield { row, position }
    }
    if (keys.length < chunk) return
  }
}
