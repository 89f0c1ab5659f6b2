import { randomUUID } from 'node:crypto'
import { CofferError } from '../../../../shared/errors.ts'
import { createdId, nothing } from '../../../../shared/schemas/common.ts'
import { draft, draftQuery, newDraft } from '../../../../shared/schemas/draft.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import { z } from '../../../../shared/zod.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { countDrafts, deleteDraft, deleteOldDrafts, insertDraft, listDrafts, updateDraft } from './store.ts'

const LABEL = 'draft'
/** The maximum number of sent requests that are stored. */
const MAX_SENT_DRAFTS = 50
/** The maximum number of drafts of a kind, because all of them are listed in one response (rule R-03). */
const MAX_DRAFTS_PER_KIND = 200

export const list = defineOperation({
  summary: 'List sent requests, saved requests or environments of the window, newest first',
  entity: 'vault',
  input: draftQuery,
  output: z.object({ data: z.array(draft) }),
  handler({ db, keyring }, { kind }) {
    return {
      data: listDrafts(db, kind).map(({ id, created_at, content }) => ({
        id,
        kind,
        // SECURITY: requests may contain card numbers, so they are sealed like tokens.
        content: keyring.openValue(content, id, LABEL).toString(),
        created_at: formatIsoTime(created_at),
      })),
    }
  },
})

export const save = defineOperation({
  summary: 'Store a sent request, a saved request, or an environment',
  entity: 'vault',
  effect: 'write',
  input: newDraft,
  output: z.object({ id: z.string() }),
  handler(context, { id: draftId, kind, content }) {
    const { db, keyring, now } = context
    // No log record is needed: sending a request is recorded separately, and drafts are not part of the API.
    context.skipRecord()
    const id = draftId ?? randomUUID()
    const sealed = keyring.sealValue(content, id, LABEL)
    if (draftId !== undefined) {
      if (!updateDraft(db, { id, kind, content: sealed })) throw createDraftNotFoundError()
      return { id }
    }
    if (kind !== 'sent' && countDrafts(db, kind) >= MAX_DRAFTS_PER_KIND) {
      throw new CofferError(
        'unprocessable',
        `A vault can have at most ${MAX_DRAFTS_PER_KIND} saved requests and as many environments. Delete some first.`,
      )
    }
    insertDraft(db, { id, kind, created_at: now, content: sealed })
    if (kind === 'sent') deleteOldDrafts(db, kind, MAX_SENT_DRAFTS)
    return { id }
  },
})

export const remove = defineOperation({
  summary: 'Delete a sent request, a saved request, or an environment',
  entity: 'vault',
  effect: 'write',
  input: z.strictObject({ id: createdId }),
  output: nothing,
  handler(context, { id }) {
    context.skipRecord()
    if (!deleteDraft(context.db, id)) throw createDraftNotFoundError()
    return {}
  },
})

export const forget = defineOperation({
  summary: 'Delete all sent requests',
  entity: 'vault',
  effect: 'write',
  input: nothing,
  output: z.object({ forgotten: z.int() }),
  handler(context) {
    context.skipRecord()
    return { forgotten: deleteOldDrafts(context.db, 'sent', 0) }
  },
})

function createDraftNotFoundError(): CofferError {
  return new CofferError('not_found', 'This request or environment was deleted.')
}
