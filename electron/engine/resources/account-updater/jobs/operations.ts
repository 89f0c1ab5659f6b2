import { randomBytes, randomUUID } from 'node:crypto'
import { CofferError } from '../../../../../shared/errors.ts'
import {
  accountUpdaterJob,
  newAccountUpdaterJob,
  uploadedPart,
} from '../../../../../shared/schemas/account-updater.ts'
import { cursorPage, nothing, size, start } from '../../../../../shared/schemas/common.ts'
import { z } from '../../../../../shared/zod.ts'
import { getCreatorId } from '../../../access/actor.ts'
import type { Context } from '../../../pipeline/context.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { byId, createMissingError, defineResource, readCursorPage } from '../../crud.ts'
import { requireMerchant } from '../../tenants/merchants/require-merchant.ts'
import { toJob, toJobEventData } from './present.ts'
import { processPart } from './process-part.ts'
import { listResultColumns } from './rows.ts'
import {
  findJob,
  findPart,
  insertJob,
  type JobRow,
  listJobs,
  listProcessing,
  storePart,
  updateJob,
} from './store.ts'

const stored = defineResource('account_updater_job', findJob, toJob)

/** How long the upload URL is valid. */
const UPLOAD_LIFETIME_MS = 60 * 60 * 1000
/** How long results are kept. */
const RESULT_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000
const CURSOR = 'account-updater-jobs'

export const create = defineOperation({
  summary: 'Create a job that updates the cards of a file; the file is uploaded to its upload_url',
  route: 'POST /account-updater/jobs',
  permission: 'account-updater:job:create',
  entity: 'account_updater_job',
  bodyless: true,
  location: ({ id }) => `/account-updater/jobs/${id}`,
  input: newAccountUpdaterJob,
  output: accountUpdaterJob,
  handler(context, { deduplicate_tokens, merchant_id, result_version = '1' }) {
    const { db, actor, now } = context
    requireMerchant(db, merchant_id)
    const row: JobRow = {
      id: randomUUID(),
      status: 'pending',
      // SECURITY: whoever has a URL may use it, so it cannot be guessed. The URL for uploads does not show results.
      upload_key: randomBytes(32).toString('base64url'),
      download_key: randomBytes(32).toString('base64url'),
      deduplicate: deduplicate_tokens === undefined ? null : deduplicate_tokens ? 1 : 0,
      merchant_id: merchant_id ?? null,
      result_version,
      columns: null,
      parts: 0,
      requests: 0,
      results: '{}',
      error: null,
      created_by: getCreatorId(actor),
      created_at: now,
      expires_at: now + UPLOAD_LIFETIME_MS,
      active_at: null,
    }
    insertJob(db, row)
    context.setRecordEntity(row.id)
    context.queueEvent('account-updater.job.created', () => toJobEventData(row))
    context.storeReplay(row.id)
    return toJob(context, row)
  },
  replay: stored.replay,
})

export const list = defineOperation({
  summary: 'List the jobs of the account updater, newest first',
  route: 'GET /account-updater/jobs',
  permission: 'account-updater:job:read',
  entity: 'account_updater_job',
  input: z.strictObject({ start, size }),
  output: cursorPage(accountUpdaterJob),
  handler(context, at) {
    return readCursorPage(
      context,
      at,
      CURSOR,
      (limit, before) => listJobs(context.db, context.now, limit, before),
      (row) => toJob(context, row),
    )
  },
})

export const get = defineOperation({
  summary: 'Get a job of the account updater',
  route: 'GET /account-updater/jobs/{id}',
  permission: 'account-updater:job:read',
  entity: 'account_updater_job',
  input: byId,
  output: accountUpdaterJob,
  handler: stored.get,
})

export const putPart = defineOperation({
  summary: 'Store a part of the file that is uploaded for a job',
  entity: 'account_updater_job',
  effect: 'write',
  input: uploadedPart,
  output: nothing,
  handler(context, { upload_key, number, lines }) {
    const { id } = requirePending(context, upload_key)
    storePart(context.db, id, 'upload', { number, lines: lines.join('\n') })
    context.skipRecord()
    return {}
  },
})

export const completeUpload = defineOperation({
  summary: 'Start a job whose file is complete',
  entity: 'account_updater_job',
  effect: 'write',
  input: z.strictObject({ upload_key: z.string(), parts: z.int().min(0) }),
  output: z.object({ id: z.uuid() }),
  handler(context, { upload_key, parts }) {
    const { db, now } = context
    const row = requirePending(context, upload_key)
    const expires_at = now + RESULT_LIFETIME_MS
    updateJob(db, { ...row, status: 'processing', parts, expires_at, active_at: now })
    return { id: row.id }
  },
})

export const listInterrupted = defineOperation({
  summary: 'List the jobs whose rows are not all processed',
  entity: 'account_updater_job',
  input: nothing,
  output: z.object({ ids: z.array(z.uuid()) }),
  handler(context) {
    context.skipRecord()
    return { ids: listProcessing(context.db, context.now) }
  },
})

export const updateSome = defineOperation({
  summary: 'Update the cards of some rows of a job',
  entity: 'account_updater_job',
  effect: 'write',
  input: byId,
  output: z.object({ is_done: z.boolean() }),
  handler(context, { id }) {
    const row = stored.requireRow(context, id)
    const { status } = row.status === 'processing' ? processPart(context, row) : row
    if (status === 'processing') context.skipRecord()
    return { is_done: status !== 'processing' }
  },
})

export const readResults = defineOperation({
  summary: 'Read a part of the results of a job as CSV; the first begins with the columns',
  entity: 'account_updater_job',
  input: z.strictObject({ download_key: z.string(), from: z.int().min(0) }),
  output: z.object({ text: z.string(), next: z.int().nullable() }),
  handler(context, { download_key, from }) {
    const row = requireByKey(context, download_key, 'download_key')
    if (row.status !== 'completed') throw createMissingError('file')
    if (from > 0) context.skipRecord()
    const head = from === 0 ? `${listResultColumns(row).join(',')}\n` : ''
    const part = findPart(context.db, row.id, 'result', from)
    return part ? { text: `${head}${part.lines}\n`, next: part.number + 1 } : { text: head, next: null }
  },
})

function requireByKey(context: Context, key: string, by: 'upload_key' | 'download_key'): JobRow {
  const row = findJob(context.db, key, context.now, by)
  if (!row) throw createMissingError('file')
  context.setRecordEntity(row.id)
  return row
}

/** Returns the job that waits for this upload. Throws `not_found`, and `conflict` after the upload. */
function requirePending(context: Context, upload_key: string): JobRow {
  const row = requireByKey(context, upload_key, 'upload_key')
  if (row.status !== 'pending')
    throw new CofferError('conflict', 'The file of this job was uploaded before. Create another job.')
  return row
}
