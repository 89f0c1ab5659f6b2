import { z } from 'zod'
import { invalid } from '../../../shared/errors.ts'
import { nothing } from '../../../shared/schemas/common.ts'
import { logPage, logQuery } from '../../../shared/schemas/log.ts'
import { actorId } from '../actor.ts'
import { operation } from '../operation.ts'
import { offsetOf, toOffsetPage } from '../pagination.ts'
import { parseMoment } from '../tokens/expires-at.ts'
import { entityNames } from './entity-types.ts'
import { toLog } from './present.ts'
import { countLogs, type LogPosition, listLogs } from './store.ts'

export const list = operation({
  summary: 'List log records, newest first',
  route: 'GET /logs',
  permission: 'log:read',
  entity: 'log',
  effect: 'read',
  status: 200,
  input: logQuery,
  output: logPage,
  handler(
    { db, keyring, actor, tenant_id, flushLog },
    { start_date, end_date, start, page, size, ...entity },
  ) {
    flushLog()
    const filter = {
      entity_type: entity.entity_type,
      entity_id: entity.entity_id,
      since: start_date === undefined ? undefined : parseMoment(start_date, 'start_date').at,
      until: end_date === undefined ? undefined : parseMoment(end_date, 'end_date').at,
    }
    const scope = JSON.stringify(['logs', actorId(actor), filter])
    const position = start === undefined ? null : keyring.openCursor(start, scope)
    if (start !== undefined && position === null) {
      throw invalid(
        'start',
        'is not a cursor of this list; take pagination.next and keep the filters and key',
      )
    }
    const after = position === null ? null : (JSON.parse(position) as LogPosition)
    const found = listLogs(db, filter, { after, limit: size + 1, offset: offsetOf({ page, size }) })
    const rows = found.slice(0, size)
    const last = rows.at(-1)
    const next =
      found.length > size && last ? keyring.sealCursor(JSON.stringify([last.at, last.seq]), scope) : null
    const data = rows.map((row) => toLog(row, tenant_id, filter.entity_id))
    const { pagination } = toOffsetPage(data, after ? 0 : countLogs(db, filter), page, size)
    return {
      pagination: { ...(after ? { page_size: size } : pagination), ...(next !== null && { next }) },
      data,
    }
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
