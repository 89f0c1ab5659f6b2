import { containerRange } from '../../../../shared/containers.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import { type Filter, keysQuery } from '../read/walk.ts'

/** Not more rows than this are looked at for a count, so that it takes a few milliseconds in any vault. */
const MOST = 5000

type Of = {
  readonly filter: Filter
  readonly container: string | undefined
  readonly now: number
}

/**
 * How many tokens a list of the owner's has, whatever its pages; null where counting them would take long. Tokens that
 * have expired count no more, also before they are deleted (rule T-14).
 */
export function countList(db: Database, of: Of): number | null {
  return of.filter.by === 'all' || of.filter.by === 'type' ? countKept(db, of) : countKeys(db, of)
}

const expiredIds = `SELECT id FROM token INDEXED BY token_by_expiry WHERE expires_at <= @now LIMIT ${MOST + 1}`

/** By the counts that are kept of each type and primary container. */
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
  // Those that are in the scope besides, and have their primary container elsewhere.
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

/** By walking the index of the filter. */
function countKeys(db: Database, { filter, container, now }: Of): number | null {
  const keys = keysQuery(filter, [container ?? '/'], null)
  if (!keys) return 0
  const { met, tokens } = sql(
    db,
    `SELECT count(*) AS met, count(*) FILTER (WHERE id NOT IN (${expiredIds.replace('@now', '?')})) AS tokens
     FROM (${keys.source})`,
  ).get(now, ...keys.values, MOST + 1) as { met: number; tokens: number }
  return met > MOST ? null : tokens
}
