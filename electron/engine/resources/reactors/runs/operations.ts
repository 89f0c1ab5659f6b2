import { createdId, nothing } from '../../../../../shared/schemas/common.ts'
import {
  newRun,
  type RunContent,
  type RunSummary,
  run,
  runPage,
  runQuery,
} from '../../../../../shared/schemas/reactor.ts'
import { z } from '../../../../../shared/zod.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { defineHistory } from '../../callables/history.ts'

type RunColumns = Omit<RunSummary, 'duration_ms' | 'created_at'>

const history = defineHistory<RunColumns, RunContent>({
  entity: 'reactor_run',
  label: 'run',
  columns: 'trace_id, reactor_id, proxy_id, kind, status, duration_us',
  filters: ['reactor_id', 'proxy_id', 'trace_id'],
  missing: 'This run no longer exists.',
})

export const keep = defineOperation({
  summary: 'Store the outcome and console output of a run, redacted',
  entity: 'reactor',
  effect: 'write',
  input: newRun,
  output: nothing,
  handler: (context, { duration_ms, ...fields }) =>
    history.keep(context, { ...fields, duration_us: Math.round(duration_ms * 1000) }),
})

export const list = defineOperation({
  summary: 'List the stored runs of code, newest first',
  entity: 'reactor',
  input: runQuery,
  output: runPage,
  handler: history.list,
})

export const get = defineOperation({
  summary: 'Get the outcome and console output of a run',
  entity: 'reactor',
  input: z.strictObject({ id: createdId }),
  output: run,
  handler: history.get,
})

export const forget = defineOperation({
  summary: 'Delete all stored runs of code',
  entity: 'reactor',
  effect: 'write',
  input: nothing,
  output: z.object({ forgotten: z.int() }),
  handler: history.forget,
})
