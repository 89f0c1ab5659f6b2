import { randomUUID } from 'node:crypto'
import { CofferError } from '../../../../../shared/errors.ts'
import { formatCount } from '../../../../../shared/format-count.ts'
import { createdId, nothing } from '../../../../../shared/schemas/common.ts'
import { newRun, type RunContent, run, runPage, runQuery } from '../../../../../shared/schemas/reactor.ts'
import { formatIsoTime } from '../../../../../shared/time.ts'
import { z } from '../../../../../shared/zod.ts'
import { toLogId } from '../../../pipeline/log-id.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { readOffsetPage } from '../../crud.ts'
import { deleteRuns, findRun, insertRun, listRuns, type RunRow } from './store.ts'

const LABEL = 'run'

function toSummary({ duration_us, created_at, ...row }: Omit<RunRow, 'content'>) {
  return { ...row, duration_ms: duration_us / 1000, created_at: formatIsoTime(created_at) }
}

export const keep = defineOperation({
  summary: 'Store the outcome and console output of a run, redacted',
  entity: 'reactor',
  effect: 'write',
  input: newRun,
  output: nothing,
  handler(context, { content, trace_id, duration_ms, ...fields }) {
    // The run already has a log record.
    context.skipRecord()
    const id = randomUUID()
    insertRun(context.db, {
      ...fields,
      id,
      // SECURITY: the caller chooses the trace id, so it may contain a card number or a key.
      trace_id: toLogId(trace_id, context.keyring),
      duration_us: Math.round(duration_ms * 1000),
      created_at: context.now,
      content: context.keyring.sealValue(JSON.stringify(content), id, LABEL),
    })
    return {}
  },
})

export const list = defineOperation({
  summary: 'List the stored runs of code, newest first',
  entity: 'reactor',
  input: runQuery,
  output: runPage,
  handler({ db, keyring }, { reactor_id = null, proxy_id = null, trace_id = null, ...at }) {
    const filter = { reactor_id, proxy_id, trace_id: trace_id && toLogId(trace_id, keyring) }
    return readOffsetPage(at, (limit, offset) => listRuns(db, filter, limit, offset), toSummary)
  },
})

export const get = defineOperation({
  summary: 'Get the outcome and console output of a run',
  entity: 'reactor',
  input: z.strictObject({ id: createdId }),
  output: run,
  handler({ db, keyring }, { id }) {
    const stored = findRun(db, id)
    if (!stored) throw new CofferError('not_found', 'This run no longer exists.')
    const { content, ...row } = stored
    return { ...toSummary(row), ...(JSON.parse(keyring.openValue(content, id, LABEL)) as RunContent) }
  },
})

export const forget = defineOperation({
  summary: 'Delete all stored runs of code',
  entity: 'reactor',
  effect: 'write',
  input: nothing,
  output: z.object({ forgotten: z.int() }),
  handler(context) {
    const forgotten = deleteRuns(context.db)
    context.setRecordEntity(null, formatCount(forgotten, 'run'))
    return { forgotten }
  },
})
