import { CofferError, createInvalidError } from '../../../../shared/errors.ts'
import type { Json } from '../../../../shared/json.ts'
import { hasPermission } from '../../access/access.ts'
import type { Context } from '../../pipeline/context.ts'
import { openIntentData, toTokenIntent } from '../tokens/intents/present.ts'
import { findTokenIntent } from '../tokens/intents/store.ts'
import type { AnswerBudget } from '../tokens/read/answer-budget.ts'
import { applyTransform } from '../tokens/read/present.ts'
import { toSubject } from '../tokens/read/require-token.ts'
import { findToken } from '../tokens/store.ts'
import { getDefaultMask, requireType, typeRules } from '../tokens/types/types.ts'
import type { Expression } from './expressions.ts'

/**
 * Returns the data, token or intent an expression refers to, as `token:read` lets the caller see it; undefined if it
 * does not exist (rule O-02). Throws `forbidden`, and `invalid` if the value exceeds the response's budget (rule R-03).
 */
export function lookUpValue(
  context: Context,
  budget: AnswerBudget,
  { kind, id }: Pick<Expression, 'kind' | 'id'>,
): Json | undefined {
  if (kind === 'token_intent') return lookUpIntent(context, budget, id)
  const row = findToken(context.db, id, context.now)
  if (!row) return undefined
  const { transform } = context.requireAccess('token:read', toSubject(row), 'any')
  const token = budget.presentToken(row, transform)
  if (!token) throw createResponseTooLargeError()
  return kind === 'token' ? (token as Json) : (token.data ?? null)
}

/** SECURITY: a token intent's data needs `token:read` on the default container of its type. */
function lookUpIntent(context: Context, budget: AnswerBudget, id: string): Json | undefined {
  if (!hasPermission(context.actor, 'token-intent:read')) {
    throw new CofferError('forbidden', 'This needs the permission token-intent:read.', {
      missing: { permissions: ['token-intent:read'] },
    })
  }
  const row = findTokenIntent(context.db, id.toLowerCase(), context.now)
  if (!row) return undefined
  const type = requireType(row.type)
  const { transform } = context.requireAccess(
    'token:read',
    { id, containers: [typeRules[type].container] },
    'any',
  )
  const intent = budget.fitValue(row.data.length, (work) => {
    const data = openIntentData(context, row)
    const visibleData = applyTransform(context, work, transform, data, getDefaultMask(type, data))
    return { ...toTokenIntent(context, row), ...(visibleData !== undefined && { data: visibleData }) }
  })
  if (!intent) throw createResponseTooLargeError()
  return intent as Json
}

function createResponseTooLargeError(): CofferError {
  return createInvalidError(
    'body',
    'refers to tokens that together are too large, or need too much masking, for one response; use fewer tokens',
  )
}
