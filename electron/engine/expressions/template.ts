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
import type { Scope } from './operand.ts'
import { type CompiledOutput, parseTemplate } from './parse.ts'
import { formatValue, isContainer, isEmpty, toJson, type Value } from './value.ts'
import type { WorkBudget } from './work-budget.ts'

export type { Scope } from './operand.ts'

/** A compiled template: text and expressions. */
export type Template = { readonly parts: readonly (string | CompiledOutput)[] }

/** A bounded map that drops the least recently used entry. */
class Lru<T> {
  readonly #entries = new Map<string, T>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Returns an entry and marks it as the most recently used; undefined if there is none. */
  get(key: string): T | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  /** Adds an entry, dropping the least recently used one if the map is full. */
  set(key: string, value: T): void {
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#limit) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }

  clear(): void {
    this.#entries.clear()
  }
}

const compiledTemplates = new Lru<Template>(1_000)

/** The templates for which each request has already consumed the work of compiling. */
const paidTemplates = new WeakMap<WorkBudget, Map<string, Template>>()

/** The work of compiling one character. */
const COMPILE_WORK = 24

/**
 * Compiles a template, and caches it by its source (rules E-01, E-02). Each request consumes work once for each
 * source, even if an earlier request has compiled it (rule R-03). Throws `invalid` at `path` for a syntax error, a
 * tag, an unknown filter or more than 2,000 characters, and if the request has used up its work.
 */
export function compileExpression(work: WorkBudget, source: string, path = 'expression'): Template {
  if (source.length > MAX_SOURCE && countCodePoints(source) > MAX_SOURCE) {
    throw createInvalidError(path, 'must have at most 2,000 characters')
  }
  if (!source.includes('{{') && !source.includes('{%')) return { parts: [source] }
  const paid = paidTemplates.get(work) ?? new Map<string, Template>()
  const existing = paid.get(source)
  if (existing) return existing
  const template = withErrorPath(
    () => path,
    () => {
      work.consume(source.length * COMPILE_WORK)
      return compiledTemplates.get(source) ?? compileAndCache(source)
    },
  )
  paidTemplates.set(work, paid.set(source, template))
  return template
}

function compileAndCache(source: string): Template {
  const template = { parts: parseTemplate(source) }
  compiledTemplates.set(source, template)
  return template
}

/** Clears the cache of compiled templates, including any literals and keys in them. */
export function clearTemplateCache(): void {
  compiledTemplates.clear()
}

/**
 * Evaluates a template (rule E-08). A single expression gives a value of its JSON type, and null for a missing
 * path; an expression with text around it gives text. Throws `invalid` at `path` if a filter rejects its value or a
 * limit is exceeded (case X-21).
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
 * Evaluates a template whose result identifies the data (rule T-07). Throws `invalid` at `path` if a value is
 * missing and no `default` replaces it, or if every expression is empty. SECURITY: otherwise, two different values
 * that lack the same part could get the same result.
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
    throw createInvalidError(path, 'uses a value that is missing; if it is optional, add a default filter')
  }
  return result
}

/** Evaluates a template within a shared budget; errors have no path. */
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

/** Formats a value as text. Serializing an array or an object consumes work from the budget of the request. */
function formatWithinBudget(value: Value, { work }: EvaluationBudget): string {
  return isContainer(value) ? work.stringifyJson(value) : formatValue(value)
}

/** Calls `run`, and adds the path to any error it throws. */
export function withErrorPath<T>(path: () => string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof CofferError && error.errors && !Object.hasOwn(error.errors, '')) throw error
    // SECURITY: another library's error may quote the data, so neither its message nor the error itself is passed
    // on.
    throw createInvalidError(path(), error instanceof CofferError ? error.message : 'cannot be evaluated')
  }
}
