import { setImmediate as turn } from 'node:timers/promises'
import type { CofferError } from '../../../shared/errors.ts'
import type { JsonObject } from '../../../shared/json.ts'
import type { BulkAction, BulkReport } from '../../../shared/schemas/bulk.ts'
import { type Caller, type Engine, toCofferError } from '../../engine/index.ts'
import type { JobWatch } from '../jobs/background.ts'

/** The maximum number of calls that share one commit. It is small, so that other callers do not wait long. */
const SLICE_SIZE = 64
/** The maximum number of rejected tokens that a report lists for each reason. */
const MAX_LISTED_IDS = 20

/** Errors about a single token. Any other error stops the job, because the next token would fail too. */
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
 * Applies one action to each token through the single-token operation, so that permissions, records, events and changes
 * are the same as for single calls. Ends early when `signal` aborts or the vault fails. Completed changes stay.
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
    const results = await Promise.allSettled(slice.map(changeToken))
    for (const [index, result] of results.entries()) {
      if (result.status === 'fulfilled') {
        done++
        continue
      }
      const error = toCofferError(result.reason)
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

function toMergePatch(action: Exclude<BulkAction, { do: 'delete' }>): JsonObject {
  switch (action.do) {
    case 'move':
      return { containers: [...action.containers] }
    case 'set metadata':
      // fromEntries defines a property. Assigning one named __proto__ would change the prototype.
      return { metadata: Object.fromEntries([[action.key, action.value]]) }
    case 'remove metadata':
      return { metadata: Object.fromEntries([[action.key, null]]) }
    case 'expire':
      return { expires_at: action.expires_at }
  }
}

function describeRejection({ code, message, errors }: CofferError): string {
  if (code === 'not_found') return 'The tokens no longer exist.'
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
