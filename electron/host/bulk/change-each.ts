import { setImmediate as turn } from 'node:timers/promises'
import type { CofferError } from '../../../shared/errors.ts'
import type { JsonObject } from '../../../shared/json.ts'
import type { BulkAction, BulkReport } from '../../../shared/schemas/bulk.ts'
import { toCofferError } from '../../engine/db/storage-error.ts'
import type { Caller } from '../../engine/door/call.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Watch } from '../work/background.ts'

/** How many calls wait for one commit: few enough that others do not wait long for it. */
const SLICE = 64
/** How many refused tokens a report names for each reason. */
const MOST_NAMED = 20

/** Refusals of a single token. Everything else stops the work, because the next token would fail too. */
const ofOneToken = ['invalid', 'not_found', 'conflict', 'forbidden', 'gone', 'unprocessable', 'too_large']

type Refused = { readonly reason: string; tokens: number; readonly ids: string[] }

/**
 * Does one thing to each token by the operation that does it to one, so that permissions, records, events and changes
 * are those of single calls. Ends early when `signal` aborts or the vault fails; what was done by then stays done.
 */
export async function changeEach(
  engine: Pick<Engine, 'as'>,
  { ids, action, caller }: { ids: readonly string[]; action: BulkAction; caller: Caller },
  { signal, onProgress }: Watch,
): Promise<BulkReport> {
  const change = async (id: string) => {
    const { tokens } = engine.as(caller)
    await (action.do === 'delete' ? tokens.remove({ id }) : tokens.update({ ...patchOf(action), id }))
  }
  const refused = new Map<string, Refused>()
  let done = 0
  let problem: string | undefined
  let at = 0
  for (; at < ids.length && problem === undefined && !signal?.aborted; at += SLICE) {
    const slice = ids.slice(at, at + SLICE)
    const answers = await Promise.allSettled(slice.map(change))
    for (const [index, answer] of answers.entries()) {
      if (answer.status === 'fulfilled') {
        done++
        continue
      }
      const error = toCofferError(answer.reason)
      if (!ofOneToken.includes(error.code)) problem ??= error.message
      else note(refused, reasonOf(error), slice[index] ?? '')
    }
    onProgress?.(Math.min(at + SLICE, ids.length), ids.length)
    await turn()
  }
  const isStopped = problem !== undefined || at < ids.length
  return {
    outcome: isStopped ? 'stopped' : 'done',
    tokens: ids.length,
    done,
    refused: [...refused.values()],
    ...(problem !== undefined && { problem }),
  }
}

/** The merge patch of an action. */
function patchOf(action: Exclude<BulkAction, { do: 'delete' }>): JsonObject {
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

function reasonOf({ code, message, errors }: CofferError): string {
  if (code === 'not_found') return 'They no longer exist.'
  const named = Object.entries(errors ?? {}).map(([path, messages]) => `${path} ${messages.join(', ')}`)
  return named.length > 0 ? `${named.join('; ')}.` : message
}

function note(refused: Map<string, Refused>, reason: string, id: string): void {
  const known = refused.get(reason) ?? { reason, tokens: 0, ids: [] }
  known.tokens++
  if (known.ids.length < MOST_NAMED) known.ids.push(id)
  refused.set(reason, known)
}
