import { createInvalidError } from '../../../../../shared/errors.ts'
import { isObject, type Json, type JsonObject } from '../../../../../shared/json.ts'
import { Problems } from '../../../../../shared/problems.ts'
import type { TokenType } from '../../../../../shared/token-types.ts'
import { checkStructure, evaluateStructure } from '../../../expressions/structure.ts'
import {
  compileExpression,
  evaluateAll,
  evaluateTemplate,
  withErrorPath,
} from '../../../expressions/template.ts'
import { WorkBudget } from '../../../expressions/work-budget.ts'
import type { Context } from '../../../pipeline/context.ts'
import { typeRules } from './types.ts'

/** What the caller specifies about a token. Undefined means the default of the type; a null mask means no mask. */
export type TokenContent = {
  readonly type: TokenType
  readonly data: Json
  readonly metadata: JsonObject
  readonly mask: Json | undefined
  readonly fingerprint_expression: string | undefined
  readonly search_indexes: readonly string[] | undefined
}

/** What is derived from the content: the text to fingerprint, and the search index values. */
export type DerivedContent = { readonly fingerprinted: string; readonly index_values: readonly string[] }

/** Returns the result of an expression as text: a string unchanged, any other value as compact JSON. */
export function toText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * Checks data and expressions, and evaluates the text to fingerprint and the search index values (rules T-02, T-03,
 * T-07, T-09, L-09). Throws one `invalid` error that names every invalid member.
 */
export function deriveContent(work: WorkBudget, content: TokenContent): DerivedContent {
  const { type, data, mask } = content
  const rules = typeRules[type]
  const problems = new Problems()
  problems.attemptCheck(() => rules.check(data, 'data'))
  if (mask !== undefined && mask !== null) problems.attemptCheck(() => checkStructure(work, mask, 'mask'))
  problems.throwIfAny()
  const scope = { data }
  // A mask that fails on the data now could never show the token masked.
  if (mask !== undefined && mask !== null) problems.attemptCheck(() => evaluateStructure(work, mask, scope))
  const fingerprinted = problems.attemptCheck(() => evaluateFingerprintText(work, content))
  const sources = content.search_indexes ?? rules.search_indexes
  const index_values = sources.map((source, index) =>
    problems.attemptCheck(() => evaluateIndexValue(work, source, scope, `search_indexes[${index}]`)),
  )
  problems.throwIfAny()
  return {
    fingerprinted: fingerprinted ?? '',
    index_values: [...new Set(index_values.filter((value) => value !== undefined))],
  }
}

/** Checks data, and returns its fingerprint by the default expression of its type (rule T-09). Throws `invalid`. */
export function computeDefaultFingerprint(
  { work, keyring }: Pick<Context, 'work' | 'keyring'>,
  type: TokenType,
  data: Json,
): Buffer {
  const { fingerprinted } = deriveContent(work, {
    type,
    data,
    metadata: {},
    mask: undefined,
    fingerprint_expression: undefined,
    search_indexes: undefined,
  })
  return keyring.computeFingerprint(type, fingerprinted)
}

/**
 * Returns the text from which a token's fingerprint is computed (rules T-07, T-09). Throws `invalid` if the token's
 * expression refers to a missing value or yields nothing. The default expression of the type may yield an empty string.
 */
export function evaluateFingerprintText(
  work: WorkBudget,
  {
    type,
    data,
    metadata,
    fingerprint_expression,
  }: Pick<TokenContent, 'type' | 'data' | 'metadata' | 'fingerprint_expression'>,
): string {
  const path = 'fingerprint_expression'
  const defaultExpression = typeRules[type].fingerprint_expression
  if ((fingerprint_expression ?? defaultExpression) === defaultExpression)
    return toText(evaluateTemplate(work, compileExpression(work, defaultExpression), { data }, path))
  return toText(
    evaluateAll(
      work,
      compileExpression(work, fingerprint_expression ?? defaultExpression, path),
      { data, metadata },
      path,
    ),
  )
}

/**
 * Returns the search index values of stored content (rule L-09). Skips expressions that the current rules reject
 * but an earlier version accepted.
 */
export function computeIndexValues({
  type,
  data,
  search_indexes,
}: Pick<TokenContent, 'type' | 'data' | 'search_indexes'>): string[] {
  const sources = search_indexes ?? typeRules[type].search_indexes
  const work = new WorkBudget()
  const values = sources.flatMap((source, index) => {
    try {
      return [evaluateIndexValue(work, source, { data }, `search_indexes[${index}]`)]
    } catch {
      // SECURITY: the error is dropped, because its message may quote the expression and no caller can receive it.
      return []
    }
  })
  return [...new Set(values)]
}

function evaluateIndexValue(work: WorkBudget, source: string, scope: { data: Json }, path: string): string {
  const value = evaluateTemplate(work, compileExpression(work, source, path), scope, path)
  if (value === null || value === '') throw createInvalidError(path, 'must not yield null or an empty value')
  // Serializing the value and computing its digest both consume work (rule R-03).
  return withErrorPath(
    () => path,
    () => {
      const text = isObject(value) || Array.isArray(value) ? work.stringifyJson(value) : toText(value)
      work.consume(text.length / 16)
      return text
    },
  )
}
