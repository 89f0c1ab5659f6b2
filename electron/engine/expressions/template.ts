import { countCodePoints } from '../../../shared/characters.ts'
import { CofferError, createInvalidError } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import {
  consumeWork,
  createBoundsError,
  createEvaluationBudget,
  type EvaluationBudget,
  MAX_SOURCE,
  MAX_STEP,
} from './bounds.ts'
import { Lru } from './lru.ts'
import type { Scope } from './operand.ts'
import { type CompiledOutput, parseTemplate } from './parse.ts'
import { formatValue, isContainer, isEmpty, toJson, type Value } from './value.ts'
import type { WorkBudget } from './work-budget.ts'

export type { Scope } from './operand.ts'

/** A compiled source: texts and expressions. */
export type Template = { readonly parts: readonly (string | CompiledOutput)[] }

const compiledTemplates = new Lru<Template>(1_000)

/** The work of compiling one character. */
const COMPILE_WORK = 24

/**
 * Compiles an expression, once per source (rules E-01, E-02). The request pays for each of its sources once, whether
 * or not another request compiled it before (rule R-03). Throws `invalid` at `path` if it has a syntax error, a tag or
 * an unknown filter, is longer than 2,000 characters, or the request's work is used up.
 */
export function compileExpression(work: WorkBudget, source: string, path = 'expression'): Template {
  if (source.length > MAX_SOURCE && countCodePoints(source) > MAX_SOURCE) {
    throw createInvalidError(path, 'must have at most 2,000 characters')
  }
  if (!source.includes('{{') && !source.includes('{%')) return { parts: [source] }
  const existing = work.findTemplate(source)
  if (existing) return existing
  const template = withErrorPath(
    () => path,
    () => {
      work.consume(source.length * COMPILE_WORK)
      return compiledTemplates.get(source) ?? compileAndCache(source)
    },
  )
  work.storeTemplate(source, template)
  return template
}

function compileAndCache(source: string): Template {
  const template = { parts: parseTemplate(source) }
  compiledTemplates.set(source, template)
  return template
}

/** Clears the cache of compiled expressions, including any literals and keys in them. */
export function clearTemplateCache(): void {
  compiledTemplates.clear()
}

/**
 * Evaluates a template (rule E-08). A lone expression returns its native JSON type, and null for a missing path; text
 * around expressions makes the result text. Throws `invalid` at `path` if a filter does not accept its value or the
 * bounds are exceeded (case X-21).
 */
export function evaluateTemplate(
  work: WorkBudget,
  template: Template,
  scope: Scope,
  path = 'expression',
): Json {
  return withErrorPath(
    () => path,
    () => evaluateWithin(createEvaluationBudget(work), template, scope),
  )
}

/**
 * `evaluate` for results that represent the data (rule T-07): throws `invalid` at `path` if an expression finds
 * nothing and no `default` replaces it, or if every expression is empty.
 * SECURITY: two different values that both lack a part must not yield the same result.
 */
export function evaluateAll(work: WorkBudget, template: Template, scope: Scope, path: string): Json {
  const values: Value[] = []
  const budget = { ...createEvaluationBudget(work), values }
  const result = withErrorPath(
    () => path,
    () => evaluateWithin(budget, template, scope),
  )
  if (values.length > 0 && values.every(isEmpty))
    throw createInvalidError(path, 'must not yield null or an empty value')
  if (budget.missing) {
    throw createInvalidError(
      path,
      'names something that is not there; where it may be missing, give it a default',
    )
  }
  return result
}

/** `evaluate` within a shared budget; errors name no path. */
export function evaluateWithin(budget: EvaluationBudget, { parts }: Template, scope: Scope): Json {
  const [only] = parts
  if (only !== undefined && parts.length === 1)
    return typeof only === 'string' ? only : toJson(only(scope, budget))
  let text = ''
  let length = 0
  for (const part of parts) {
    const more = typeof part === 'string' ? part : formatWithinBudget(part(scope, budget), budget)
    text += more
    length += countCodePoints(more)
    if (length > MAX_STEP) throw createBoundsError()
  }
  consumeWork(budget, length)
  return text
}

/** A value as text. Writing out a list or an object is work for the request. */
function formatWithinBudget(value: Value, { work }: EvaluationBudget): string {
  return isContainer(value) ? work.stringifyJson(value) : formatValue(value)
}

/** Runs something and prefixes its errors with the path. */
export function withErrorPath<T>(path: () => string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof CofferError && error.errors && !Object.hasOwn(error.errors, '')) throw error
    // SECURITY: a library's error may quote the data; neither its message nor the error itself is passed on.
    throw createInvalidError(path(), error instanceof CofferError ? error.message : 'cannot be evaluated')
  }
}
