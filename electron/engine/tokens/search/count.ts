import { containerRange } from '../../../../shared/containers.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import { conditionOn, type Filter, keysQuery } from '../read/walk.ts'

/** The most rows a count looks at, so that it takes a few milliseconds in any vault. */
const MOST = 5000

type Of = {
  readonly filter: Filter
  readonly container: string | undefined
  readonly now: number
}

/**
 * Returns how many tokens a list has for the owner, on all its pages; null if counting them would take long. Expired
 * tokens do not count, even before they are deleted (rule T-14).
 */
export function countList(db: Database, of: Of): number | null {
  return of.filter.by === 'all' || of.filter.by === 'type' ? countKept(db, of) : countKeys(db, of)
}

const expiredIds = `SELECT id FROM token INDEXED BY token_by_expiry WHERE expires_at <= @now LIMIT ${MOST + 1}`

/** Counts with the stored counters for each type and primary container. */
function countKept(db: Database, { filter, container, now }: Of): number | null {
  const scope = container ?? '/'
  const [from, to] = containerRange(scope)
  const type = filter.by === 'type' ? filter.type : null
  const kept = sql(
    db,
    `SELECT coalesce(sum(tokens), 0) AS tokens FROM token_count
     WHERE container >= @from AND container < @to AND (@type IS NULL OR type = @type)`,
  ).get({ from, to, type }) as { tokens: number }
  const expired = sql(
    db,
    `SELECT count(*) AS met, count(*) FILTER (WHERE container >= @from AND container < @to
       AND (@type IS NULL OR type = @type)) AS tokens
     FROM (SELECT type, container FROM token INDEXED BY token_by_expiry WHERE expires_at <= @now LIMIT ${MOST + 1})`,
  ).get({ from, to, type, now }) as { met: number; tokens: number }
  // Tokens that are in the scope only through another container than their primary one.
  const members = sql(
    db,
    `SELECT count(*) AS met, count(*) FILTER (WHERE (@type IS NULL OR token.type = @type)
       AND token.id NOT IN (${expiredIds})) AS tokens
     FROM (SELECT id FROM token_membership WHERE ancestor = @scope AND (container < @from OR container >= @to)
           LIMIT ${MOST + 1}) member JOIN token ON token.id = member.id`,
  ).get({ scope, from, to, type, now }) as { met: number; tokens: number }
  if (expired.met > MOST || members.met > MOST) return null
  return kept.tokens - expired.tokens + members.tokens
}

/** Counts by walking the filter's index. */
function countKeys(db: Database, { filter, container, now }: Of): number | null {
  const keys = keysQuery(filter, container ?? '/')
  const condition = conditionOn(filter)
  const { met, tokens } = sql(
    db,
    `SELECT count(*) AS met,
     count(*) FILTER (WHERE id NOT IN (${expiredIds.replace('@now', '?')}) AND ${condition.source}) AS tokens
     FROM (${keys.source}) k`,
  ).get(now, ...condition.values, ...keys.values, MOST + 1) as { met: number; tokens: number }
  return met > MOST ? null : tokens
}
