import { getContainerRange } from '../../../../../shared/containers.ts'
import type { Database } from '../../../db/open.ts'
import { selectRow } from '../../../db/statement.ts'
import { buildKeyCondition, buildKeysQuery, type WalkFilter } from '../read/walk.ts'

/** The maximum number of rows that a count reads, so that it takes a few milliseconds in any vault. */
const MAX_COUNTED_ROWS = 5000

type CountListOptions = {
  readonly filter: WalkFilter
  readonly container: string | undefined
  readonly now: number
}

/**
 * Returns how many tokens a list has for the owner, over all pages; null if counting would take too long. Leaves
 * out expired tokens even before they are deleted (rule T-14).
 */
export function countList(db: Database, options: CountListOptions): number | null {
  return options.filter.by === 'all' || options.filter.by === 'type'
    ? countWithCounters(db, options)
    : countByWalking(db, options)
}

const expiredIds = `SELECT id FROM token INDEXED BY token_by_expiry WHERE expires_at <= @now LIMIT ${MAX_COUNTED_ROWS + 1}`

/** Counts with the stored counters for each type and primary container. */
function countWithCounters(db: Database, { filter, container, now }: CountListOptions): number | null {
  const scope = container ?? '/'
  const [from, to] = getContainerRange(scope)
  const type = filter.by === 'type' ? filter.type : null
  const query = `SELECT coalesce(sum(tokens), 0) AS tokens FROM token_count
     WHERE container >= @from AND container < @to AND (@type IS NULL OR type = @type)`
  const counters = selectRow<{ tokens: number }>(db, query, { from, to, type })
  const expiredQuery = `SELECT count(*) AS met, count(*) FILTER (WHERE container >= @from AND container < @to
       AND (@type IS NULL OR type = @type)) AS tokens
     FROM (SELECT type, container FROM token INDEXED BY token_by_expiry WHERE expires_at <= @now LIMIT ${MAX_COUNTED_ROWS + 1})`
  const expired = selectRow<{ met: number; tokens: number }>(db, expiredQuery, { from, to, type, now })
  // Adds the tokens that are in the scope only through a secondary container.
  const membersQuery = `SELECT count(*) AS met, count(*) FILTER (WHERE (@type IS NULL OR token.type = @type)
       AND token.id NOT IN (${expiredIds})) AS tokens
     FROM (SELECT id FROM token_membership WHERE ancestor = @scope AND (container < @from OR container >= @to)
           LIMIT ${MAX_COUNTED_ROWS + 1}) member JOIN token ON token.id = member.id`
  const members = selectRow<{ met: number; tokens: number }>(db, membersQuery, { scope, from, to, type, now })
  if (expired.met > MAX_COUNTED_ROWS || members.met > MAX_COUNTED_ROWS) return null
  return counters.tokens - expired.tokens + members.tokens
}

/** Counts the matching rows of the filter's index; null if there are more than `MAX_COUNTED_ROWS`. */
function countByWalking(db: Database, { filter, container, now }: CountListOptions): number | null {
  const keys = buildKeysQuery(filter, container ?? '/')
  const condition = buildKeyCondition(filter)
  const { met, tokens } = selectRow<{ met: number; tokens: number }>(
    db,
    `SELECT count(*) AS met,
     count(*) FILTER (WHERE id NOT IN (${expiredIds.replace('@now', '?')}) AND ${condition.source}) AS tokens
     FROM (${keys.source}) k`,
    now,
    ...condition.values,
    ...keys.values,
    MAX_COUNTED_ROWS + 1,
  )
  return met > MAX_COUNTED_ROWS ? null : tokens
}
