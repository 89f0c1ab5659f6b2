import { randomUUID } from 'node:crypto'
import { CofferError } from '../../../../../shared/errors.ts'
import { formatCount } from '../../../../../shared/format-count.ts'
import { createdId, nothing } from '../../../../../shared/schemas/common.ts'
import {
  type ExchangeContent,
  exchange,
  exchangePage,
  exchangeQuery,
  newExchange,
} from '../../../../../shared/schemas/exchange.ts'
import { formatIsoTime } from '../../../../../shared/time.ts'
import { z } from '../../../../../shared/zod.ts'
import { toLogId } from '../../../pipeline/log-id.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { readOffsetPage } from '../../crud.ts'
import { deleteExchanges, type ExchangeRow, findExchange, insertExchange, listExchanges } from './store.ts'

const LABEL = 'exchange'

function toSummary({ duration_us, created_at, ...row }: Omit<ExchangeRow, 'content'>) {
  return { ...row, duration_ms: duration_us / 1000, created_at: formatIsoTime(created_at) }
}

export const keep = defineOperation({
  summary: 'Store the messages of a proxied call, redacted',
  entity: 'proxy',
  effect: 'write',
  input: newExchange,
  output: nothing,
  handler(context, { content, trace_id, ...fields }) {
    // The call already has a log record.
    context.skipRecord()
    const id = randomUUID()
    insertExchange(context.db, {
      ...fields,
      id,
      // SECURITY: the caller chooses the trace id, so it may contain a card number or a key.
      trace_id: toLogId(trace_id, context.keyring),
      created_at: context.now,
      content: context.keyring.sealValue(JSON.stringify(content), id, LABEL),
    })
    return {}
  },
})

export const list = defineOperation({
  summary: 'List the saved calls of proxies, newest first',
  entity: 'proxy',
  input: exchangeQuery,
  output: exchangePage,
  handler({ db, keyring }, { proxy_id = null, trace_id = null, ...at }) {
    const filter = { proxy_id, trace_id: trace_id && toLogId(trace_id, keyring) }
    return readOffsetPage(at, (limit, offset) => listExchanges(db, filter, limit, offset), toSummary)
  },
})

export const get = defineOperation({
  summary: 'Get a saved call of a proxy',
  entity: 'proxy',
  input: z.strictObject({ id: createdId }),
  output: exchange,
  handler({ db, keyring }, { id }) {
    const stored = findExchange(db, id)
    if (!stored) throw new CofferError('not_found', 'This saved call no longer exists.')
    const { content, ...row } = stored
    return { ...toSummary(row), ...(JSON.parse(keyring.openValue(content, id, LABEL)) as ExchangeContent) }
  },
})

export const forget = defineOperation({
  summary: 'Delete all saved calls of proxies',
  entity: 'proxy',
  effect: 'write',
  input: nothing,
  output: z.object({ forgotten: z.int() }),
  handler(context) {
    const forgotten = deleteExchanges(context.db)
    context.setRecordEntity(null, formatCount(forgotten, 'exchange'))
    return { forgotten }
  },
})
