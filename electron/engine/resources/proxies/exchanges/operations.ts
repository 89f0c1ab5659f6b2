import { createdId, nothing } from '../../../../../shared/schemas/common.ts'
import {
  type ExchangeContent,
  exchange,
  exchangePage,
  exchangeQuery,
  type NewExchange,
  newExchange,
} from '../../../../../shared/schemas/exchange.ts'
import { z } from '../../../../../shared/zod.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { defineHistory } from '../../callables/history.ts'

const history = defineHistory<Omit<NewExchange, 'content'>, ExchangeContent>({
  entity: 'exchange',
  label: 'exchange',
  columns: 'trace_id, proxy_id, method, host, path, status, duration_us',
  filters: ['proxy_id', 'trace_id'],
  missing: 'This saved call no longer exists.',
})

export const keep = defineOperation({
  summary: 'Store the messages of a proxied call, redacted',
  entity: 'proxy',
  effect: 'write',
  input: newExchange,
  output: nothing,
  handler: history.keep,
})

export const list = defineOperation({
  summary: 'List the saved calls of proxies, newest first',
  entity: 'proxy',
  input: exchangeQuery,
  output: exchangePage,
  handler: history.list,
})

export const get = defineOperation({
  summary: 'Get a saved call of a proxy',
  entity: 'proxy',
  input: z.strictObject({ id: createdId }),
  output: exchange,
  handler: history.get,
})

export const forget = defineOperation({
  summary: 'Delete all saved calls of proxies',
  entity: 'proxy',
  effect: 'write',
  input: nothing,
  output: z.object({ forgotten: z.int() }),
  handler: history.forget,
})
