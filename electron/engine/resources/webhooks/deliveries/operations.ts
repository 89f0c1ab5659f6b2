import { type Filter, isFiltered, matchesFilter } from '../../../../../shared/conditions.ts'
import { CofferError } from '../../../../../shared/errors.ts'
import { createdId, cursorPage, filteredQuery } from '../../../../../shared/schemas/common.ts'
import {
  type DeliveryField,
  type DeliverySummary,
  delivery,
  type deliveryAttempt,
  deliveryFields,
  deliverySummary,
} from '../../../../../shared/schemas/webhook.ts'
import { formatIsoTime } from '../../../../../shared/time.ts'
import { type EventType, eventTypes, isEventType } from '../../../../../shared/webhook-events.ts'
import { z } from '../../../../../shared/zod.ts'
import { recordBulkChange } from '../../../db/changes.ts'
import { selectRow, sql } from '../../../db/statement.ts'
import { insertDelivery, insertEvent } from '../../../events/write.ts'
import type { Context } from '../../../pipeline/context.ts'
import { toLogId } from '../../../pipeline/log-id.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { defineLookup, MAX_FILTERED_ROWS, readFilteredPage } from '../../crud.ts'
import { formatTimeOrNull } from '../present.ts'
import { findWebhook } from '../store.ts'
import { RESPONSE_LABEL } from './attempt.ts'
import { toWebhookEvent } from './body.ts'
import { createExampleData } from './example.ts'
import {
  type AttemptRow,
  type DeliveryRow,
  findDelivery,
  listAttempts,
  listDeliveries,
  listDeliveriesByTrace,
} from './store.ts'

const webhooks = defineLookup('webhook', findWebhook)
const one = z.strictObject({ id: z.string().regex(/^\d{1,15}$/, 'must be the id of a delivery') })

export const list = defineOperation({
  summary: "List a webhook's deliveries of the last 7 days, newest first",
  entity: 'webhook',
  input: filteredQuery(deliveryFields).extend({ webhook_id: createdId }),
  output: cursorPage(deliverySummary),
  handler(context, { webhook_id, start, size, where = [], q = '' }) {
    const { seq } = webhooks.requireRow(context, webhook_id)
    const scope = JSON.stringify(['deliveries', webhook_id, where, q])
    const filter = { conditions: where, words: q }
    return readFilteredPage(
      context,
      { start, size, scanned: isFiltered(filter) ? MAX_FILTERED_ROWS : size },
      scope,
      (limit, before) => listDeliveries(context.db, seq, limit, before),
      (row) => (matchesDeliveryFilter(filter, row) ? toSummary(row) : null),
    )
  },
})

function matchesDeliveryFilter(filter: Filter<DeliveryField>, row: DeliveryRow): boolean {
  const { type, state, attempts, by_owner, event_id, trace_id } = row
  const values = {
    state: [state],
    event: [type],
    attempts: [attempts],
    by: [by_owner === 1 ? 'owner' : 'vault'],
  }
  return matchesFilter(filter, (field) => values[field], [type, event_id, trace_id, String(row.seq)])
}

/** The maximum number of deliveries listed for a request. There are no pages, because a request causes few events. */
const MAX_REQUEST_DELIVERIES = 100

export const listOfRequest = defineOperation({
  summary: 'List the deliveries that a request of the last 7 days caused, newest first',
  entity: 'webhook',
  input: z.strictObject({ trace_id: z.string().min(1).max(400) }),
  output: z.object({ data: z.array(deliverySummary) }),
  handler({ db, keyring }, { trace_id }) {
    return {
      data: listDeliveriesByTrace(db, toLogId(trace_id, keyring), MAX_REQUEST_DELIVERIES).map(toSummary),
    }
  },
})

export const get = defineOperation({
  summary: 'Get a delivery: its event, and every attempt with its response',
  entity: 'webhook',
  input: one,
  output: delivery,
  handler(context, { id }) {
    const { db, keyring, tenant_id } = context
    const row = requireDelivery(context, id)
    return {
      ...toSummary(row),
      event: toWebhookEvent(keyring, tenant_id, row),
      tried: listAttempts(db, row.seq).map((attempt) => toAttempt(context, attempt)),
    }
  },
})

export const sendAgain = defineOperation({
  summary: 'Resend the event of a delivery now',
  entity: 'webhook',
  effect: 'write',
  status: 201,
  input: one,
  output: deliverySummary,
  handler(context, { id }) {
    const row = requireDelivery(context, id)
    context.setRecordEntity(row.webhook_id)
    const { db } = context
    const { event } = selectRow<{ event: number }>(db, 'SELECT event FROM delivery WHERE seq = ?', row.seq)
    return addDelivery(context, row.webhook, event)
  },
})

export const sendTest = defineOperation({
  summary: 'Send a test event of a chosen type to a webhook now',
  entity: 'webhook',
  effect: 'write',
  status: 201,
  input: z.strictObject({
    webhook_id: createdId,
    type: z.enum(eventTypes).refine((type) => isEventType(type)),
  }),
  output: deliverySummary,
  handler(context, { webhook_id, type }) {
    const { db, keyring, now } = context
    const webhook = webhooks.requireRow(context, webhook_id)
    const data = JSON.stringify(createExampleData(type as EventType, now))
    const trace_id = toLogId(context.trace_id, keyring)
    const event = insertEvent(db, keyring, { type: type as EventType, trace_id, at: now, data })
    return addDelivery(context, webhook.seq, event)
  },
})

function addDelivery({ db, now }: Context, webhook: number, event: number): DeliverySummary {
  const seq = insertDelivery(db, webhook, event, now)
  sql(db, 'UPDATE webhook SET waiting = waiting + 1 WHERE seq = ?').run(webhook)
  recordBulkChange(db, 'delivery', 'created')
  return toSummary(findDelivery(db, seq) as DeliveryRow)
}

function requireDelivery({ db }: Context, id: string): DeliveryRow {
  const row = findDelivery(db, Number(id))
  if (!row) throw new CofferError('not_found', 'This delivery no longer exists.')
  return row
}

function toSummary(row: DeliveryRow): DeliverySummary {
  return {
    id: String(row.seq),
    webhook_id: row.webhook_id,
    event_id: row.event_id,
    type: row.type,
    created_at: formatIsoTime(row.created_at),
    state: row.state,
    by_owner: row.by_owner === 1,
    attempts: row.attempts,
    next_at: formatTimeOrNull(row.next_at),
    ended_at: formatTimeOrNull(row.ended_at),
  }
}

/** Converts a stored attempt for a response. The receiver may have sent any bytes; those that are not UTF-8 are replaced. */
function toAttempt({ keyring }: Context, row: AttemptRow): z.output<typeof deliveryAttempt> {
  const bytes =
    row.answer === null ? '' : Buffer.from(keyring.openValue(row.answer, row.id, RESPONSE_LABEL), 'latin1')
  return {
    at: formatIsoTime(row.at),
    duration_ms: row.duration_ms,
    status: row.status,
    failure: row.failure,
    answer: bytes.toString(),
  }
}
