import { CofferError, type FieldErrors } from '../../../../shared/errors.ts'
import { isNumber, type Json } from '../../../../shared/json.ts'
import { json, nothing } from '../../../../shared/schemas/common.ts'
import { bank, card, newToken } from '../../../../shared/schemas/token.ts'
import { isTokenType } from '../../../../shared/token-types.ts'
import { z } from '../../../../shared/zod.ts'
import { examples } from '../../expressions/examples.ts'
import { evaluateStructure } from '../../expressions/structure.ts'
import { compileExpression, evaluateTemplate } from '../../expressions/template.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { findBin } from '../cards/store.ts'
import { resolveMask, toTypeDetails } from '../tokens/read/present.ts'
import { getContainers } from '../tokens/store.ts'
import { evaluateFingerprintText, toText } from '../tokens/types/content.ts'
import { requireType, typeRules } from '../tokens/types/types.ts'
import { newTokenRow } from '../tokens/write/new-row.ts'

// Previews leave no trace: the owner's reads are not logged, and the pipeline stores nothing of their input.

function getJsonType(value: Json): string {
  if (value === null) return 'null'
  if (isNumber(value)) return 'number'
  return Array.isArray(value) ? 'array' : typeof value
}

export const preview = defineOperation({
  summary: 'Evaluate an expression or a mask over sample data; nothing is stored',
  entity: 'vault',
  input: z.strictObject({ template: json, data: json }),
  output: z.object({ result: json, type: z.string() }),
  handler({ work }, { template, data }) {
    const result = evaluateStructure(work, template, { data: data ?? null }, 'expression')
    return { result, type: getJsonType(result) }
  },
})

export const previewToken = defineOperation({
  summary: 'Preview a new token, or list its errors; nothing is stored',
  entity: 'vault',
  input: newToken,
  output: z.object({
    /** The errors of creating the token, by the names of members; empty if the token would be created. */
    errors: z.record(z.string(), z.array(z.string())),
    container: z.string().optional(),
    containers: z.array(z.string()).optional(),
    id: z.string().optional(),
    mask: json.optional(),
    masked: json.optional(),
    fingerprint_expression: z.string().optional(),
    fingerprinted: z.string().optional(),
    index_values: z.array(z.string()).optional(),
    card: card.optional(),
    bank: bank.optional(),
  }),
  handler(context, input) {
    const { type = 'token', data = null, metadata = {}, fingerprint_expression } = input
    const rules = isTokenType(type) ? typeRules[type] : undefined
    const rowResult = tryPreview(() => newTokenRow(context, input))
    const row = 'value' in rowResult ? rowResult.value.row : undefined
    const mask = resolveMask(
      { type, mask: input.mask === undefined ? null : JSON.stringify(input.mask) },
      data,
    )
    const expression = fingerprint_expression ?? rules?.fingerprint_expression
    const tryEvaluate = (source: string) =>
      tryPreview(() =>
        toText(evaluateTemplate(context.work, compileExpression(context.work, source), { data })),
      )
    const indexes = (input.search_indexes ?? rules?.search_indexes ?? []).map(tryEvaluate)
    return {
      errors: 'errors' in rowResult ? rowResult.errors : {},
      ...(rules && { container: rules.container }),
      ...(row && { containers: getContainers(row) }),
      ...(input.id?.includes('{{') && toPreviewMember('id', tryEvaluate(input.id))),
      ...(mask !== null && {
        mask,
        ...toPreviewMember(
          'masked',
          tryPreview(() => evaluateStructure(context.work, mask, { data })),
        ),
      }),
      ...(expression !== undefined && {
        fingerprint_expression: expression,
        ...toPreviewMember(
          'fingerprinted',
          tryPreview(() =>
            evaluateFingerprintText(context.work, {
              type: requireType(type),
              data,
              metadata,
              fingerprint_expression,
            }),
          ),
        ),
      }),
      index_values: indexes.flatMap((each) => ('value' in each ? [each.value] : [])),
      ...(row && toTypeDetails(type, data, (number) => findBin(context.db, number))),
    }
  },
})

type PreviewAttempt<T> = { readonly value: T } | { readonly errors: FieldErrors }

function tryPreview<T>(run: () => T): PreviewAttempt<T> {
  try {
    return { value: run() }
  } catch (error) {
    if (!(error instanceof CofferError) || !['invalid', 'conflict'].includes(error.code)) throw error
    return { errors: error.errors ?? { id: [error.message] } }
  }
}

function toPreviewMember<T>(name: string, result: PreviewAttempt<T>): Record<string, T> {
  return 'value' in result ? { [name]: result.value } : {}
}

export const filters = defineOperation({
  summary: 'List all filters with examples',
  entity: 'vault',
  input: nothing,
  output: z.array(
    z.object({
      filter: z.string(),
      kind: z.string(),
      signature: z.string(),
      description: z.string(),
      expression: z.string(),
      data: json,
      result: json,
      random: z.boolean(),
    }),
  ),
  handler() {
    return examples.map(({ like, ...example }) => ({ ...example, random: like !== undefined }))
  },
})
