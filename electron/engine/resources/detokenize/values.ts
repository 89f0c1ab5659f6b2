import { type CofferError, createInvalidError } from '../../../../shared/errors.ts'
import type { Json } from '../../../../shared/json.ts'
import type { Context } from '../../pipeline/context.ts'
import type { AnswerBudget } from '../tokens/read/answer-budget.ts'
import { toSubject } from '../tokens/read/require-token.ts'
import { findToken } from '../tokens/store.ts'
import type { Expression } from './expressions.ts'
import { expressionSources, type SourceKind } from './sources.ts'

/**
 * Returns what an expression refers to, as the caller may see it; undefined if it
 * does not exist (rule O-02). Throws `forbidden`, and `invalid` if the value exceeds the response's budget (rule R-03).
 */
export function lookUpValue(
  context: Context,
  budget: AnswerBudget,
  { kind, id }: Pick<Expression, 'kind' | 'id'>,
): Json | undefined {
  if (kind !== 'token' && kind !== 'data') return lookUpSource(context, budget, kind, id)
  const row = findToken(context.db, id, context.now)
  if (!row) return undefined
  const { transform } = context.requireAccess('token:read', toSubject(row), 'any')
  const token = budget.presentToken(row, transform)
  if (!token) throw createResponseTooLargeError()
  return kind === 'token' ? (token as Json) : (token.data ?? null)
}

/** SECURITY: what is not a token has its own permissions. */
function lookUpSource(
  context: Context,
  budget: AnswerBudget,
  kind: SourceKind,
  id: string,
): Json | undefined {
  const found = expressionSources[kind](context, id)
  if (!found) return undefined
  const transform = found.requireReading()
  const value = budget.fitValue(found.size, (work) => found.presentValue(found.openData(), transform, work))
  if (value === null) throw createResponseTooLargeError()
  return value as Json
}

function createResponseTooLargeError(): CofferError {
  return createInvalidError(
    'body',
    'refers to tokens that together are too large, or need too much masking, for one response; use fewer tokens',
  )
}
