import { setImmediate as turn } from 'node:timers/promises'
import type { CofferError } from '../../../shared/errors.ts'
import type { JsonObject } from '../../../shared/json.ts'
import type { BulkAction, BulkReport } from '../../../shared/schemas/bulk.ts'
import { toCofferError } from '../../engine/db/storage-error.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Caller } from '../../engine/pipeline/call.ts'
import type { JobWatch } from '../jobs/background.ts'

/** How many calls wait for one commit: few enough that others do not wait long for it. */
const SLICE_SIZE = 64
/** How many refused tokens a report names for each reason. */
const MAX_LISTED_IDS = 20

/** Refusals of a single token. Everything else stops the work, because the next token would fail too. */
const singleTokenErrors = [
  'invalid',
  'not_found',
  'conflict',
  'forbidden',
  'gone',
  'unprocessable',
  'too_large',
]

type RejectionGroup = { readonly reason: string; tokens: number; readonly ids: string[] }

/**
 * Does one thing to each token by the operation that does it to one, so that permissions, records, events and changes
 * are those of single calls. Ends early when `signal` aborts or the vault fails; what was done by then stays done.
 */
export async function changeEach(
  engine: Pick<Engine, 'as'>,
  { ids, action, caller }: { ids: readonly string[]; action: BulkAction; caller: Caller },
  { signal, onProgress }: JobWatch,
): Promise<BulkReport> {
  const changeToken = async (id: string) => {
    const { tokens } = engine.as(caller)
    await (action.do === 'delete' ? tokens.remove({ id }) : tokens.update({ ...toMergePatch(action), id }))
  }
  const rejections = new Map<string, RejectionGroup>()
  let done = 0
  let problem: string | undefined
  let at = 0
  for (; at < ids.length && problem === undefined && !signal?.aborted; at += SLICE_SIZE) {
    const slice = ids.slice(at, at + SLICE_SIZE)
    const answers = await Promise.allSettled(slice.map(changeToken))
    for (const [index, answer] of answers.entries()) {
      if (answer.status === 'fulfilled') {
        done++
        continue
      }
      const error = toCofferError(answer.reason)
      if (!singleTokenErrors.includes(error.code)) problem ??= error.message
      else addRejection(rejections, describeRejection(error), slice[index] ?? '')
    }
    onProgress?.(Math.min(at + SLICE_SIZE, ids.length), ids.length)
    await turn()
  }
  const isStopped = problem !== undefined || at < ids.length
  return {
    outcome: isStopped ? 'stopped' : 'done',
    tokens: ids.length,
    done,
    refused: [...rejections.values()],
    ...(problem !== undefined && { problem }),
  }
}

/** The merge patch of an action. */
function toMergePatch(action: Exclude<BulkAction, { do: 'delete' }>): JsonObject {
  switch (action.do) {
    case 'move':
      return { containers: [...action.containers] }
    case 'set metadata':
      // fromEntries defines a member; assigning one named __proto__ would change the prototype.
      return { metadata: Object.fromEntries([[action.key, action.value]]) }
    case 'remove metadata':
      return { metadata: Object.fromEntries([[action.key, null]]) }
    case 'expire':
      return { expires_at: action.expires_at }
  }
}

function describeRejection({ code, message, errors }: CofferError): string {
  if (code === 'not_found') return 'They no longer exist.'
  const fieldMessages = Object.entries(errors ?? {}).map(
    ([path, messages]) => `${path} ${messages.join(', ')}`,
  )
  return fieldMessages.length > 0 ? `${fieldMessages.join('; ')}.` : message
}

function addRejection(rejections: Map<string, RejectionGroup>, reason: string, id: string): void {
  const group = rejections.get(reason) ?? { reason, tokens: 0, ids: [] }
  group.tokens++
  if (group.ids.length < MAX_LISTED_IDS) group.ids.push(id)
  rejections.set(reason, group)
}
