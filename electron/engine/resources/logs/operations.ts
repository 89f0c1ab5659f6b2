import { checkComparisons, escapePattern, splitPattern } from '../../../../shared/conditions.ts'
import { capitalizeFirst, type Entity, entities, loggedEntities } from '../../../../shared/entities.ts'
import { CofferError } from '../../../../shared/errors.ts'
import { parseMoment } from '../../../../shared/moment.ts'
import { toOffsetPage } from '../../../../shared/offset-page.ts'
import { nothing } from '../../../../shared/schemas/common.ts'
import {
  fullLog,
  logPage,
  logPrograms,
  logProgramsQuery,
  logQuery,
  logTimeline,
  logTimelineQuery,
  ownerLogPage,
  ownerLogQuery,
} from '../../../../shared/schemas/log.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import { z } from '../../../../shared/zod.ts'
import { getActorId } from '../../access/actor.ts'
import type { Keyring } from '../../crypto/keyring.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import type { Context } from '../../pipeline/context.ts'
import type { LogDetail } from '../../pipeline/detail.ts'
import { toLogId } from '../../pipeline/log-id.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { openPosition } from '../crud.ts'
import { isSearch, type LogFilter } from './filter.ts'
import { listPage, searchPage } from './pages.ts'
import { toFullLog, toLog, toOwnerLog } from './present.ts'
import { countPrograms } from './programs.ts'
import { findLog, findOldestLog, type LogPosition, readEntities } from './store.ts'
import { buildTimeline, chooseStep } from './timeline.ts'

/** The maximum number of records with the same time that are searched (rule R-03). */
const MAX_READ_RECORDS = 4096

/**
 * Returns the `seq` of the log record for the call that created a token together with others; undefined if there is
 * none, or if the token no longer exists. Such a record stores the range of its tokens' positions, because storing
 * every id would cost two rows per token.
 */
function findCreation(db: Database, token_id: string): number | undefined {
  const query = 'SELECT seq, created_at FROM token WHERE id = ?'
  const token = sql<{ seq: number; created_at: number }>(db, query).get(token_id)
  if (!token) return undefined
  const records = sql<{ seq: number; detail: string }>(
    db,
    `SELECT seq, detail FROM
       (SELECT seq, operation, detail FROM log INDEXED BY log_by_type WHERE entity_type = 'token' AND at = ? LIMIT ${MAX_READ_RECORDS})
     WHERE operation = 'tokens.createMany' AND detail IS NOT NULL ORDER BY seq DESC`,
  ).all(token.created_at)
  return records.find(({ detail }) => {
    const { created } = JSON.parse(detail) as LogDetail
    return created && created[0] <= token.seq && token.seq <= created[1]
  })?.seq
}

const MAX_ENTITIES = 100
/** The latest time a record can have, in epoch ms: the end of the year 9999. */
const MAX_TIME_MS = 253_402_300_799_999

export const list = defineOperation({
  summary: 'List log records, newest first',
  route: 'GET /logs',
  permission: 'log:read',
  entity: 'log',
  input: logQuery,
  output: logPage,
  handler(context, query) {
    const { filter, rows, pagination } = readLogPage(context, query, 'logs')
    return { pagination, data: rows.map((row) => toLog(row, context.tenant_id, filter.entity_id)) }
  },
})

type OwnerLogQuery = z.output<typeof ownerLogQuery>

/** Converts a query to a filter. Throws `invalid` for a time that does not exist, or a condition that is none. */
function toFilter(
  { db, keyring }: Context,
  { start_date, end_date, q, where = [], ...query }: Omit<OwnerLogQuery, 'start' | 'page' | 'size'>,
): LogFilter {
  checkComparisons(where, ['status', 'took', 'size'])
  const ids = where.filter(({ field, not }) => field === 'id' && !not)
  // A bulk creation covers its tokens without naming them, which the filter by one entity knows.
  const [named] = ids.length === 1 && query.entity_id === undefined ? ids : []
  const entity_id = query.entity_id ?? named?.value
  return {
    ...query,
    where: where
      .filter((each) => each !== named)
      .map((each) =>
        each.field === 'id' || each.field === 'trace'
          ? { ...each, value: toLogIdPattern(each.value, keyring) }
          : each,
      ),
    entity_id: entity_id === undefined ? undefined : toLogId(entity_id, keyring),
    created_by: entity_id === undefined ? undefined : findCreation(db, entity_id),
    trace_id: query.trace_id === undefined ? undefined : toLogId(query.trace_id, keyring),
    q: q === undefined ? undefined : { typed: q, id: toLogId(q, keyring) },
    since: start_date === undefined ? undefined : parseMoment(start_date, 'start_date').at,
    until: end_date === undefined ? undefined : parseMoment(end_date, 'end_date').at,
  }
}

/** Converts the pattern of an id, which only an id without wildcards may need, to its form in the log. */
function toLogIdPattern(pattern: string, keyring: Keyring): string {
  const [id = '', ...rest] = splitPattern(pattern)
  return rest.length === 0 ? escapePattern(toLogId(id, keyring)) : toLogId(pattern, keyring)
}

/** Reads a page of the log. Throws `invalid` for a cursor of another list. */
function readLogPage(
  context: Context,
  { start, page, size, ...query }: OwnerLogQuery,
  list: 'logs' | 'owner',
  more = {},
) {
  const { db, keyring, actor } = context
  context.flushLog()
  const filter: LogFilter = { ...toFilter(context, query), ...more }
  // `created_by` changes when the token is deleted, so it is not part of the scope.
  const scope = JSON.stringify([list, getActorId(actor), { ...filter, created_by: undefined }])
  const position = openPosition(context, start, scope, {
    hint: 'pass pagination.next and keep the same filters and key',
  })
  const after = position === null ? null : (JSON.parse(position) as LogPosition)
  // After the vault's clock was set back, only the order of writing puts the owner's newest record first.
  const readPage = filter.by_owner || isSearch(filter) ? searchPage : listPage
  const result = readPage(db, filter, { after, page, size })
  const { rows, next, total } = result
  const { pagination } = toOffsetPage([], total ?? 0, page, size)
  return {
    filter,
    rows,
    pagination: {
      ...(total === null ? { page_size: size } : pagination),
      ...(next !== null && { next: keyring.sealCursor(JSON.stringify(next), scope) }),
    },
  }
}

const byOwner = { by_owner: true } as const

export const find = defineOperation({
  summary: 'List log records with programs, sizes and errors, newest first',
  entity: 'log',
  input: ownerLogQuery,
  output: ownerLogPage,
  handler(context, query) {
    const { filter, rows, pagination } = readLogPage(context, query, 'owner', byOwner)
    return { pagination, data: rows.map((row) => toOwnerLog(row, context.tenant_id, filter.entity_id)) }
  },
})

export const timeline = defineOperation({
  summary: 'Count log records over time, by outcome',
  entity: 'log',
  input: logTimelineQuery,
  output: logTimeline,
  handler(context, { spans: maxSpans, step_ms: step, before = null, ...query }) {
    const { db, now } = context
    context.flushLog()
    const filter: LogFilter = { ...toFilter(context, query), ...byOwner }
    const until = Math.min(filter.until ?? now + 1, MAX_TIME_MS)
    const since = filter.since ?? Math.min(findOldestLog(db) ?? until, until)
    const step_ms = step ?? chooseStep(until - since, maxSpans)
    const from = Math.floor(since / step_ms) * step_ms
    const { spans, next } = buildTimeline(db, filter, { from, step: step_ms, before })
    return {
      from: formatIsoTime(from),
      until: formatIsoTime(until),
      step_ms,
      spans: spans.map(({ at, ...counts }) => ({ at: formatIsoTime(at), ...counts })),
      next,
    }
  },
})

export const programs = defineOperation({
  summary: 'Count log records by program',
  entity: 'log',
  input: logProgramsQuery,
  output: logPrograms,
  handler(context, { before = null, ...query }) {
    context.flushLog()
    const { programs, next } = countPrograms(context.db, { ...toFilter(context, query), ...byOwner }, before)
    return { data: [...programs], next }
  },
})

export const get = defineOperation({
  summary: 'Get a log record, including the error that its caller received',
  entity: 'log',
  input: z.strictObject({ id: z.string().max(300) }),
  output: fullLog,
  handler(context, { id }) {
    const { db, tenant_id } = context
    context.flushLog()
    const row = /^[1-9]\d{0,14}$/.test(id) ? findLog(db, Number(id)) : undefined
    if (!row) throw new CofferError('not_found', 'There is no such record in the log.')
    const entities = row.entity_id === null ? readEntities(db, row.seq, MAX_ENTITIES) : [row.entity_id]
    return toFullLog(row, tenant_id, entities)
  },
})

export const getEntityTypes = defineOperation({
  summary: 'List the kinds of entity a log record can be about',
  route: 'GET /logs/entity-types',
  permission: 'log:read',
  entity: 'log',
  input: nothing,
  output: z.array(z.object({ display_name: z.string(), value: z.string() })),
  handler() {
    return loggedEntities.map((value) => ({ display_name: toDisplayName(value), value }))
  },
})

/** Each word of an entity's name begins with an upper-case letter: `Token Intent` (rule O-05). */
function toDisplayName(entity: Entity): string {
  return entities[entity].name.split(' ').map(capitalizeFirst).join(' ')
}
