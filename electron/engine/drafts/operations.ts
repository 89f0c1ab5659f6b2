import { randomUUID } from 'node:crypto'
import { CofferError } from '../../../shared/errors.ts'
import { madeId, nothing } from '../../../shared/schemas/common.ts'
import { draft, draftQuery, newDraft } from '../../../shared/schemas/draft.ts'
import { isoTime } from '../../../shared/time.ts'
import { z } from '../../../shared/zod.ts'
import { operation } from '../door/operation.ts'
import { countDrafts, deleteDraft, deleteOldDrafts, insertDraft, listDrafts, updateDraft } from './store.ts'

const owners = { route: null, permission: 'owner', entity: 'vault' } as const
const LABEL = 'draft'
/** How many requests that were sent are kept. */
const MOST_SENT = 50
/** All of a kind are listed in one answer (rule R-03). */
const MOST = 200

export const list = operation({
  ...owners,
  summary: 'List what is kept of requests from the window, newest first',
  effect: 'read',
  status: 200,
  input: draftQuery,
  output: z.object({ data: z.array(draft) }),
  handler({ db, keyring }, { kind }) {
    return {
      data: listDrafts(db, kind).map(({ id, created_at, content }) => ({
        id,
        kind,
        // SECURITY: what was sent may hold card numbers, so it is sealed as tokens are.
        content: keyring.openValue(content, id, LABEL).toString(),
        created_at: isoTime(created_at),
      })),
    }
  },
})

export const save = operation({
  ...owners,
  summary: 'Keep a request that was sent, a saved request, or an environment',
  effect: 'write',
  status: 200,
  input: newDraft,
  output: z.object({ id: z.string() }),
  handler(context, { id: given, kind, content }) {
    const { db, keyring, now } = context
    // A request that is sent has a record of its own, and drafts are no part of the interface.
    context.isPart()
    const id = given ?? randomUUID()
    const sealed = keyring.sealValue(content, id, LABEL)
    if (given !== undefined) {
      if (!updateDraft(db, { id, kind, content: sealed })) throw gone()
      return { id }
    }
    if (kind !== 'sent' && countDrafts(db, kind) >= MOST) {
      throw new CofferError('unprocessable', `A vault keeps at most ${MOST} of these. Delete some.`)
    }
    insertDraft(db, { id, kind, created_at: now, content: sealed })
    if (kind === 'sent') deleteOldDrafts(db, kind, MOST_SENT)
    return { id }
  },
})

export const remove = operation({
  ...owners,
  summary: 'Delete what is kept of a request, or an environment',
  effect: 'write',
  status: 200,
  input: z.strictObject({ id: madeId }),
  output: nothing,
  handler(context, { id }) {
    context.isPart()
    if (!deleteDraft(context.db, id)) throw gone()
    return {}
  },
})

export const forget = operation({
  ...owners,
  summary: 'Delete every request that was sent and kept',
  effect: 'write',
  status: 200,
  input: nothing,
  output: z.object({ forgotten: z.int() }),
  handler(context) {
    context.isPart()
    return { forgotten: deleteOldDrafts(context.db, 'sent', 0) }
  },
})

function gone(): CofferError {
  return new CofferError('not_found', 'This is no longer kept.')
}
