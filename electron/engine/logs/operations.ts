import { z } from 'zod'
import { CofferError, invalid } from '../../../shared/errors.ts'
import { parseMoment } from '../../../shared/moment.ts'
import { toOffsetPage } from '../../../shared/offset-page.ts'
import { nothing } from '../../../shared/schemas/common.ts'
import { fullLog, logPage, logQuery } from '../../../shared/schemas/log.ts'
import { actorId } from '../access/actor.ts'
import { operation } from '../door/operation.ts'
import { recordedId } from '../door/recorded-id.ts'
import { entityNames } from './entity-types.ts'
import { isSearch, type LogFilter } from './filter.ts'
import { listPage, searchPage } from './pages.ts'
import { toFullLog, toLog } from './present.ts'
import { entitiesOf, findLog, type LogPosition } from './store.ts'

const MOST_ENTITIES = 100

export const list = operation({
  summary: 'List log records, newest first',
  route: 'GET /logs',
  permission: 'log:read',
  entity: 'log',
  effect: 'read',
  status: 200,
  input: logQuery,
  output: logPage,
  handler(context, { start_date, end_date, start, page, size, entity_id, q, ...asked }) {
    const { db, keyring, actor, tenant_id } = context
    context.flushLog()
    const filter: LogFilter = {
      ...asked,
      entity_id: entity_id === undefined ? undefined : recordedId(entity_id, keyring),
      trace_id: asked.trace_id === undefined ? undefined : recordedId(asked.trace_id, keyring),
      q: q === undefined ? undefined : { typed: q, id: recordedId(q, keyring) },
      since: start_date === undefined ? undefined : parseMoment(start_date, 'start_date').at,
      until: end_date === undefined ? undefined : parseMoment(end_date, 'end_date').at,
    }
    const scope = JSON.stringify(['logs', actorId(actor), filter])
    const position = start === undefined ? null : keyring.openCursor(start, scope)
    if (start !== undefined && position === null) {
      throw invalid(
        'start',
        'is not a cursor of this list; pass pagination.next and keep the same filters and key',
      )
    }
    const after = position === null ? null : (JSON.parse(position) as LogPosition)
    const { rows, next, total } = (isSearch(filter) ? searchPage : listPage)(db, filter, {
      after,
      page,
      size,
    })
    const data = rows.map((row) => toLog(row, tenant_id, filter.entity_id))
    const { pagination } = toOffsetPage(data, total ?? 0, page, size)
    return {
      pagination: {
        ...(total === null ? { page_size: size } : pagination),
        ...(next !== null && { next: keyring.sealCursor(JSON.stringify(next), scope) }),
      },
      data,
    }
  },
})

export const get = operation({
  summary: 'Get a log record, including the refusal that its caller received',
  route: null,
  permission: 'owner',
  entity: 'log',
  effect: 'read',
  status: 200,
  input: z.strictObject({ id: z.string().max(20) }),
  output: fullLog,
  handler(context, { id }) {
    const { db, tenant_id } = context
    context.flushLog()
    const row = /^[1-9]\d{0,14}$/.test(id) ? findLog(db, Number(id)) : undefined
    if (!row) throw new CofferError('not_found', 'There is no such record in the log.')
    const entities = row.entity_id === null ? entitiesOf(db, row.seq, MOST_ENTITIES) : [row.entity_id]
    return toFullLog(row, tenant_id, entities)
  },
})

export const getEntityTypes = operation({
  summary: 'List the kinds of entity a log record can be about',
  route: 'GET /logs/entity-types',
  permission: 'log:read',
  entity: 'log',
  effect: 'read',
  status: 200,
  input: nothing,
  output: z.array(z.object({ display_name: z.string(), value: z.string() })),
  handler() {
    return Object.entries(entityNames).map(([value, display_name]) => ({ display_name, value }))
  },
})
