import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'
import { containerRange } from './containers.ts'
import { findToken, metadataDigests, type TokenRow } from './store.ts'

/** What a walk is narrowed to; at most one (rule L-01). */
export type Filter =
  | { readonly by: 'all' }
  | { readonly by: 'type'; readonly type: string }
  | { readonly by: 'fingerprint'; readonly fingerprint: Buffer }
  | { readonly by: 'metadata'; readonly key: string; readonly value: string }
  | { readonly by: 'index'; readonly digest: Buffer }

/** A place in the walk's order: primary container, created_at, id, all descending (rule L-03). */
export type Position = readonly [container: string, created_at: number, id: string]

type Arm = { readonly source: string; readonly values: readonly (string | number | Buffer)[] }

/** The table whose index gives the filter's tokens in the walk's order, and its condition. */
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
      const { folded, exact } = metadataDigests(filter.key, filter.value)
      return { source: 'token_metadata WHERE folded = ? AND exact = ?', values: [folded, exact] }
    }
    case 'index':
      return { source: 'token_index WHERE digest = ?', values: [filter.digest] }
  }
}

/** The same filter for a token met through its membership: `m` is the membership row. */
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
 * One ordered select a scope: tokens whose primary container lies in it, and those that are in it besides.
 * Each is bounded from above once: SQLite seeks to one bound only and would pass over every row up to it.
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

/** The keys of one ordered look-up in all scopes at once; null when no scope has anything beyond the position. */
export function keysQuery(filter: Filter, scopes: readonly string[], after: Position | null): Arm | null {
  const arms = armsOf(filter, scopes, after)
  if (arms.length === 0) return null
  const union = arms.map((arm) => arm.source).join(' UNION ')
  return {
    source: `${union} ORDER BY container DESC, created_at DESC, id DESC LIMIT ?`,
    values: arms.flatMap((arm) => arm.values),
  }
}

const CHUNK = 200

/**
 * Walks the tokens of a filter inside scopes in the order of L-03, from after a position, in ordered index
 * look-ups whose cost does not grow with the vault. Expired tokens are passed over (rule T-14).
 */
export function* walkTokens(
  db: Database,
  filter: Filter,
  scopes: readonly string[],
  after: Position | null,
  now: number,
  chunk = CHUNK,
): Generator<TokenRow> {
  let position = after
  while (true) {
    const query = keysQuery(filter, scopes, position)
    if (!query) return
    const keys = sql(db, query.source).all(...query.values, chunk) as {
      container: string
      created_at: number
      id: string
    }[]
    for (const { container, created_at, id } of keys) {
      position = [container, created_at, id]
      const row = findToken(db, id, now)
      if (row) yield row
    }
    if (keys.length < chunk) return
  }
}
