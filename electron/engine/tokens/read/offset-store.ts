import { containerRange } from '../../../../shared/containers.ts'
import type { Subject } from '../../access/access.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import type { Pair } from '../pairs.ts'

/** The tokens of a numbered list: all, or those that meet every one of these conditions (rules L-06, L-07). */
export type Candidates = {
  readonly ids?: readonly string[]
  /** Matched regardless of case. */
  readonly metadata?: readonly Pair[]
  /** The digest of a search index value. */
  readonly index?: Buffer
}

/** The scopes the caller may read, and the time; tokens that have expired by then are left out (rules P-09, T-14). */
export type Readable = { readonly scopes: readonly string[]; readonly now: number }

type Part = { readonly source: string; readonly values: readonly (string | number | Buffer)[] }

/** The index entries of the candidates: one select per condition. */
function sourceOf({ ids, metadata = [], index }: Candidates): Part | null {
  const selects: Part[] = metadata.map(({ table, folded }) => ({
    source: `SELECT DISTINCT container, created_at, id FROM ${table} WHERE folded = ?`,
    values: [folded],
  }))
  if (index) {
    selects.push({
      source: 'SELECT container, created_at, id FROM token_index WHERE digest = ?',
      values: [index],
    })
  }
  if (ids) {
    selects.push({
      source: 'SELECT container, created_at, id FROM token WHERE id IN (SELECT value FROM json_each(?))',
      values: [JSON.stringify(ids)],
    })
  }
  if (selects.length === 0) return null
  return {
    source: `(${selects.map((select) => select.source).join(' INTERSECT ')})`,
    values: selects.flatMap((select) => select.values),
  }
}

function inScopes(scopes: readonly string[]): Part {
  if (scopes.includes('/')) return { source: '1', values: [] }
  return {
    source: `(${scopes.map(() => '(container >= ? AND container < ?)').join(' OR ') || '0'})`,
    values: scopes.flatMap(containerRange),
  }
}

/** Tokens that are in a scope through another container than their primary one. */
function membersOf(scopes: readonly string[]): Part {
  const ancestors = scopes.filter((scope) => scope !== '/')
  return {
    source: `token_membership WHERE ancestor IN (${ancestors.map(() => '?').join(', ')})`,
    values: ancestors,
  }
}

const expired = 'token INDEXED BY token_by_expiry WHERE expires_at <= ?'

function conditionOf({ scopes, now }: Readable): Part {
  const within = inScopes(scopes)
  const members = membersOf(scopes)
  const byMembership = members.values.length > 0 ? ` OR id IN (SELECT id FROM ${members.source})` : ''
  return {
    source: `(${within.source}${byMembership}) AND id NOT IN (SELECT id FROM ${expired})`,
    values: [...within.values, ...members.values, now],
  }
}

/** Returns how many of the candidates the caller may read (rule L-05). */
export function countTokens(db: Database, candidates: Candidates, readable: Readable): number {
  const source = sourceOf(candidates)
  const { source: text, values } = source ? countOf(source, readable) : countOfAll(readable)
  return (sql(db, text).get(...values) as { total: number }).total
}

function countOf(source: Part, readable: Readable): Part {
  const condition = conditionOf(readable)
  return {
    source: `SELECT count(*) AS total FROM ${source.source} WHERE ${condition.source}`,
    values: [...source.values, ...condition.values],
  }
}

/** Counts with the stored counters of the containers, so that the cost does not grow with the vault. */
function countOfAll({ scopes, now }: Readable): Part {
  const within = inScopes(scopes)
  const members = membersOf(scopes)
  return {
    source: `SELECT (SELECT coalesce(sum(tokens), 0) FROM token_count WHERE ${within.source})
      + (SELECT count(DISTINCT id) FROM ${members.source} AND NOT ${within.source})
      - (SELECT count(*) FROM ${expired}
         AND (${within.source} OR id IN (SELECT id FROM ${members.source}))) AS total`,
    values: [...within.values, ...members.values, ...within.values, now, ...within.values, ...members.values],
  }
}

const newestFirst = 'ORDER BY created_at DESC, id DESC'

/** Returns the ids of one page of the candidates the caller may read, newest first (rule L-05). */
export function findPage(
  db: Database,
  candidates: Candidates,
  readable: Readable,
  limit: number,
  offset: number,
): string[] {
  const source = sourceOf(candidates) ?? { source: 'token INDEXED BY token_by_created', values: [] }
  const condition = conditionOf(readable)
  const rows = sql(
    db,
    `SELECT id FROM ${source.source} WHERE ${condition.source} ${newestFirst} LIMIT ? OFFSET ?`,
  ).all(...source.values, ...condition.values, limit, offset) as { id: string }[]
  return rows.map((row) => row.id)
}

/** Yields every candidate in the scopes with what access is decided on, newest first. */
export function* idsOf(db: Database, candidates: Candidates, readable: Readable): Generator<Subject> {
  const source = sourceOf(candidates) ?? { source: 'token', values: [] }
  const condition = conditionOf(readable)
  const rows = sql(
    db,
    `SELECT c.id, t.container, t.containers FROM
     (SELECT id, created_at FROM ${source.source} WHERE ${condition.source}) c JOIN token t ON t.id = c.id
     ORDER BY c.created_at DESC, c.id DESC`,
  ).all(...source.values, ...condition.values) as {
    id: string
    container: string
    containers: string | null
  }[]
  for (const { id, container, containers } of rows) {
    yield { id, containers: containers === null ? [container] : (JSON.parse(containers) as string[]) }
  }
}
