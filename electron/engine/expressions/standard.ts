import { CofferError, createInvalidError } from '../../../shared/errors.ts'
import { isObject, type Json } from '../../../shared/json.ts'
import { consumeWork, MAX_STEP, measureSize, rejectStep } from './bounds.ts'
import type { ExpressionFilter, FilterArgs } from './filter.ts'
import type { StandardFilter } from './filters/standard-filter.ts'
import { listFilters } from './filters/standard-list.ts'
import { numberFilters } from './filters/standard-number.ts'
import { textFilters } from './filters/standard-text.ts'
import { Decimal, toJson, type Value } from './value.ts'

/** The filters that accept a value of any size and return it, or a part of it. */
const passThroughFilters = ['default', 'first', 'last', 'size']

/** The additional work of filters that search, per character of their arguments. */
const searchingFilters: ReadonlyMap<string, number> = new Map([
  ...'remove remove_first remove_last replace replace_first replace_last split'
    .split(' ')
    .map((name) => [name, 1 / 16] as const),
  ...'find find_index has map reject sort sort_natural sum where'
    .split(' ')
    .map((name) => [name, 1 / 2] as const),
])

const defaultFilter: StandardFilter = {
  minArgs: 0,
  maxArgs: 2,
  run: (value, fallback = '', allow_false = false) => {
    const plain = toJson(value)
    if (plain === false) return allow_false === false || allow_false === null ? fallback : false
    const isEmpty = plain === '' || plain === null || isEmptyWithin(plain)
    return isEmpty ? fallback : value
  },
}

/** The standard Liquid filters with their standard results (rule E-02). */
export const standardFilters: readonly ExpressionFilter[] = Object.entries({
  ...textFilters,
  ...numberFilters,
  ...listFilters,
  default: defaultFilter,
}).map(([name, standard]) => ({ name, bind: createBinder(name, standard) }))

function createBinder(name: string, { minArgs, maxArgs, run }: StandardFilter): ExpressionFilter['bind'] {
  const factor = searchingFilters.get(name) ?? 0
  return (args) => {
    const values = readArgs(name, args, minArgs, maxArgs)
    const extent = values.length === 0 ? 0 : measureSize(values.map(toJson), MAX_STEP)
    const weight = (1 + extent * factor) * (name === 'strip_html' ? 3 : 1)
    const runBound = (input: Value) => runFilter(name, () => run(input, ...values))
    if (passThroughFilters.includes(name))
      return (input, budget) => {
        const value = toFilterInput(input)
        consumeWork(budget, 32 + countPassThroughWork(name, value))
        return runBound(value)
      }
    return (input, budget) => {
      const value = toFilterInput(input)
      const size = measureSize(value, MAX_STEP) + extent
      if (size > MAX_STEP) rejectStep(budget)
      consumeWork(budget, size * weight)
      consumeWork(budget, 32 + countPassThroughWork(name, value))
      const result = runBound(value)
      if (measureSize(result, MAX_STEP) > MAX_STEP) rejectStep(budget)
      return result
    }
  }
}

function toFilterInput(input: Value): Value {
  return input instanceof Decimal ? input : toJson(input)
}

/** The work of filters that accept a value of any size. It grows only with the size of strings and objects. */
function countPassThroughWork(name: string, value: Value): number {
  if (name === 'size' && typeof value === 'string') return value.length / 4
  const readsObject = name === 'size' || name === 'default'
  return readsObject && isObject(value) ? 2 * measureSize(value, MAX_STEP) : 0
}

function isEmptyWithin(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && Object.keys(value).length === 0
}

function readArgs(
  name: string,
  { positional, named }: FilterArgs,
  minArgs: number,
  maxArgs: number,
): Value[] {
  for (const key of named.keys()) {
    if (name !== 'default' || key !== 'allow_false') {
      throw createInvalidError('', `passes an unknown argument to the filter ${name}`)
    }
  }
  const [fallback = ''] = positional
  const values = named.size === 0 ? [...positional] : [fallback, ...named.values()]
  if (values.length < minArgs)
    throw createInvalidError('', `must pass ${minArgs} or more arguments to the filter ${name}`)
  if (values.length > maxArgs) throw createInvalidError('', `passes too many arguments to the filter ${name}`)
  return values
}

function runFilter(name: string, run: () => Value): Value {
  try {
    return run()
  } catch (error) {
    if (error instanceof CofferError) throw error
    // SECURITY: another library's error message may quote the data.
    throw createInvalidError('', `passes a value that the filter ${name} does not accept`)
  }
}
