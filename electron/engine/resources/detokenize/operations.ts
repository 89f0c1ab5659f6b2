import { CofferError, createInvalidError } from '../../../../shared/errors.ts'
import type { Json } from '../../../../shared/json.ts'
import { json, requiredJson } from '../../../../shared/schemas/common.ts'
import { formatSettingHint } from '../../../../shared/settings.ts'
import { z } from '../../../../shared/zod.ts'
import { createEvaluationBudget, MAX_VALUE, measureSize } from '../../expressions/bounds.ts'
import { compileExpression, evaluateWithin, withErrorPath } from '../../expressions/template.ts'
import { formatValue } from '../../expressions/value.ts'
import type { WorkBudget } from '../../expressions/work-budget.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { mapPayload, visitTexts } from '../tokenize/payload.ts'
import { AnswerBudget } from '../tokens/read/answer-budget.ts'
import { type Expression, forEachExpression, splitExpressions } from './expressions.ts'
import { formatUnknownIds } from './unknown-ids.ts'
import { lookUpValue } from './values.ts'

export const detokenize = defineOperation({
  summary: 'Replace every expression in a JSON payload with its value from a token',
  route: 'POST /detokenize',
  permission: 'token:read',
  entity: 'token',
  effect: 'read',
  wholeBody: true,
  input: z.strictObject({ payload: requiredJson }),
  output: json,
  handler(context, { payload }) {
    const texts = findExpressionTexts(payload, context.settings.expressions_per_detokenize)
    const answerBudget = new AnswerBudget(context)
    const values = new Map<string, Json>()
    const missing = new Map<string, string[]>()
    const unknown = new Set<string>()
    for (const { path, expressions } of texts) {
      for (const each of expressions) {
        if (values.has(toExpressionKey(each))) continue
        const value = lookUpValue(context, answerBudget, each)
        if (value !== undefined) {
          values.set(toExpressionKey(each), value)
          continue
        }
        unknown.add(each.id)
        missing.set(path || 'body', ['names a token that does not exist'])
      }
    }
    if (unknown.size > 0) {
      const detail = `Failed to detokenize some tokens: ${formatUnknownIds(unknown)}`
      throw new CofferError('invalid', detail, { errors: Object.fromEntries(missing) })
    }
    context.setRecordEntities(texts.flatMap(({ expressions }) => expressions.map(({ id }) => id)))
    return texts.length === 0 ? payload : evaluatePayload(context.work, payload, values)
  },
})

function toExpressionKey({ kind, id }: Expression): string {
  return `${kind}:${id}`
}

/**
 * Returns the strings of a payload that contain expressions, with their paths. Throws `invalid` at the first
 * expression beyond `max` (case X-65).
 */
function findExpressionTexts(payload: Json, max: number): { path: string; expressions: Expression[] }[] {
  const texts: { path: string; expressions: Expression[] }[] = []
  let remaining = max
  visitTexts(payload, (value, getPath) => {
    if (!value.includes('{{')) return
    const path = getPath()
    const expressions: Expression[] = []
    forEachExpression(value, path || 'body', (expression) => {
      if (--remaining < 0) {
        throw createInvalidError(
          'body',
          `contains more than ${max} expressions; the tenant allows ${max} in one request. ${formatSettingHint('expressions_per_detokenize')}`,
        )
      }
      expressions.push(expression)
    })
    texts.push({ path, expressions })
  })
  return texts
}

/**
 * Evaluates the expressions of a payload. A string that is a single expression becomes its native type (rule E-08).
 * SECURITY: all expressions share one budget of work and size, so repeating a large token cannot exceed it.
 */
function evaluatePayload(work: WorkBudget, payload: Json, values: ReadonlyMap<string, Json>): Json {
  const budget = createEvaluationBudget(work)
  let size = 0
  return mapPayload(payload, (value, getPath) => {
    if (typeof value !== 'string' || !value.includes('{{')) return undefined
    const path = getPath() || 'body'
    const results = splitExpressions(value, path).map((part): Json => {
      if (typeof part === 'string') return part
      const scope = { data: values.get(toExpressionKey(part)) ?? null }
      const result = withErrorPath(
        () => path,
        () => evaluateWithin(budget, compileExpression(work, part.source, ''), scope),
      )
      size += measureSize(result, MAX_VALUE)
      if (size > MAX_VALUE)
        throw createInvalidError(path, 'makes the values of all expressions longer than 4,194,304 characters')
      return result
    })
    const [only = null] = results
    return results.length === 1 ? only : results.map(formatValue).join('')
  })
}
