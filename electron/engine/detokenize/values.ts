import { CofferError, invalid } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import { holds } from '../access/access.ts'
import type { Context } from '../door/context.ts'
import { openIntentData, toTokenIntent } from '../tokens/intents/present.ts'
import { findTokenIntent } from '../tokens/intents/store.ts'
import { transformed } from '../tokens/read/present.ts'
import { subjectOf } from '../tokens/read/require-token.ts'
import type { Room } from '../tokens/read/room.ts'
import { findToken } from '../tokens/store.ts'
import { defaultMaskFor, requireType, rulesOf } from '../tokens/types/types.ts'
import type { Expression } from './expressions.ts'

/**
 * Returns what an expression's id refers to, as `token:read` lets the caller see it, or undefined if it does not exist
 * (rule O-02). Throws `forbidden`, and `invalid` if there is no room for it (rule R-03).
 */
export function lookUp(
  context: Context,
  room: Room,
  { kind, id }: Pick<Expression, 'kind' | 'id'>,
): Json | undefined {
  if (kind === 'token_intent') return intentOf(context, room, id)
  const row = findToken(context.db, id, context.now)
  if (!row) return undefined
  const { transform } = context.require('token:read', subjectOf(row), 'any')
  const token = room.show(row, transform)
  if (!token) throw noRoom()
  return kind === 'token' ? (token as Json) : (token.data ?? null)
}

/** SECURITY: a token intent's data is shown like that of the default token it would become: only with `token:read`. */
function intentOf(context: Context, room: Room, id: string): Json | undefined {
  if (!holds(context.actor, 'token-intent:read')) {
    throw new CofferError('forbidden', 'This needs the permission token-intent:read.', {
      missing: { permissions: ['token-intent:read'] },
    })
  }
  const row = findTokenIntent(context.db, id.toLowerCase(), context.now)
  if (!row) return undefined
  const type = requireType(row.type)
  const { transform } = context.require('token:read', { id, containers: [rulesOf[type].container] }, 'any')
  const intent = room.fit(row.data.length, (work) => {
    const data = openIntentData(context, row)
    const shown = transformed(context, work, transform, data, defaultMaskFor(type, data))
    return { ...toTokenIntent(context, row), ...(shown !== undefined && { data: shown }) }
  })
  if (!intent) throw noRoom()
  return intent as Json
}

function noRoom(): CofferError {
  return invalid(
    'body',
    'names tokens that one answer has no room for together: they are large, or their masks take much work; name fewer',
  )
}
