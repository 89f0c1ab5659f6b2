import { createInvalidError } from '../../../shared/errors.ts'
import { isObject, type Json } from '../../../shared/json.ts'
import { sanitizeName } from '../../../shared/problems.ts'
import {
  consumeWork,
  createBoundsError,
  createEvaluationBudget,
  MAX_DEPTH,
  MAX_LEAVES,
  MAX_VALUE,
  MAX_VALUES,
  measureSize,
} from './bounds.ts'
import { compileExpression, evaluateWithin, type Scope, withErrorPath } from './template.ts'
import type { WorkBudget } from './work-budget.ts'

/**
 * Compiles every string in a mask (rule T-07). Throws `invalid` with the path of the invalid string, or if the mask
 * is nested too deeply or contains too many expressions or values.
 */
export function checkStructure(work: WorkBudget, mask: Json, path: string): void {
  let values = 0
  let expressions = 0
  const countExpressions = (leaf: string): string => {
    if (leaf.includes('{{')) expressions++
    return leaf
  }
  // SECURITY: values are counted before they are visited, so that a large mask is rejected early (case X-48).
  mapLeaves(mask, { name: path }, countExpressions, (more) => {
    values += more
    if (values > MAX_VALUES) throw createInvalidError(path, 'must contain at most 10,000 values')
  })
  if (expressions > MAX_LEAVES) throw createInvalidError(path, 'must contain at most 1,000 expressions')
  mapLeaves(mask, { name: path }, (leaf) => {
    compileExpression(work, leaf, '')
    return leaf
  })
}

/**
 * Evaluates every string in a mask (rule E-08) and leaves everything else unchanged. All strings share one budget
 * (case X-21). Throws `invalid` with the path of the string that failed.
 */
export function evaluateStructure(work: WorkBudget, mask: Json, scope: Scope, path = 'mask'): Json {
  const budget = createEvaluationBudget(work)
  let size = 0
  const evaluateLeaf = (leaf: string): Json => {
    const value = evaluateWithin(budget, compileExpression(work, leaf, ''), scope)
    const more = measureSize(value, MAX_VALUE)
    size += more
    if (size > MAX_VALUE) throw createBoundsError()
    // Serializing the result also takes work, even if evaluating the expression took none.
    work.consume(more / 8)
    return value
  }
  return mapLeaves(mask, { name: path }, evaluateLeaf, (more) => consumeWork(budget, 32 * more))
}

/** The path of a value, which is converted to text only for an error. */
type ValuePath = { readonly name: string | number; readonly parent?: ValuePath }

function formatPath({ name, parent }: ValuePath): string {
  if (!parent) return String(name)
  return typeof name === 'number'
    ? `${formatPath(parent)}[${name}]`
    : `${formatPath(parent)}.${sanitizeName(name)}`
}

function mapLeaves(
  value: Json,
  valuePath: ValuePath,
  map: (leaf: string) => Json,
  /** Receives the number of values in an array or an object before they are visited. */
  onContainer: (values: number) => void = () => {},
  depth = 0,
): Json {
  if (typeof value === 'string')
    return withErrorPath(
      () => formatPath(valuePath),
      () => map(value),
    )
  if (!Array.isArray(value) && !isObject(value)) return value
  if (depth >= MAX_DEPTH)
    throw createInvalidError(formatPath(valuePath), 'is nested too deeply (at most 64 levels)')
  const mapItem = (name: string | number, item: Json): Json =>
    mapLeaves(item, { name, parent: valuePath }, map, onContainer, depth + 1)
  if (Array.isArray(value)) {
    onContainer(value.length)
    return value.map((item, index) => mapItem(index, item))
  }
  const entries = Object.entries(value)
  onContainer(entries.length)
  // SECURITY: fromEntries defines properties, so `__proto__` becomes a property and sets no prototype.
  return Object.fromEntries(entries.map(([key, item]) => [key, mapItem(key, item)]))
}
