import { countCodePoints } from '../../../shared/characters.ts'
import { createInvalidError } from '../../../shared/errors.ts'
import { consumeWork, type EvaluationBudget, MAX_VALUE, measureSize } from './bounds.ts'
import type { FilterParam } from './params.ts'
import { Decimal, isContainer, toJson, type Value } from './value.ts'

/** The arguments of one use of a filter, by position and by name. */
export type FilterArgs = { readonly positional: readonly Value[]; readonly named: ReadonlyMap<string, Value> }

/** A filter with its arguments bound. */
export type BoundFilter = (value: Value, budget: EvaluationBudget) => Value

/** A filter. `bind` checks the arguments of one use and returns the function to run. Throws `invalid`. */
export type ExpressionFilter = { readonly name: string; readonly bind: (args: FilterArgs) => BoundFilter }

type FilterOptions = {
  /** The units of work per character of the value. The default, 0.25, suits filters that read their value once. */
  readonly weight?: number
  /** Whether the filter also runs on null; by default, null is returned unchanged. */
  readonly takes_null?: boolean
  /** Whether the filter first converts an array or an object to text. */
  readonly spells?: boolean
}

/**
 * Creates one of Coffer's own filters (rule E-02). `prepare` gets the checked arguments, once per expression if they
 * are literals, and returns the function to run on values. Errors name the filter, never a value.
 */
export function defineFilter<T extends readonly unknown[]>(
  name: string,
  params: readonly [...{ [K in keyof T]: FilterParam<T[K]> }],
  prepare: (...args: T) => BoundFilter,
  { weight = 0.25, takes_null = false, spells = true }: FilterOptions = {},
): ExpressionFilter {
  const bindArgs = (args: FilterArgs): BoundFilter => {
    const values = readParams(name, params, args)
    const run = prepare(...(values as T))
    return (rawValue, budget) => {
      const value = rawValue instanceof Decimal ? rawValue.integer : rawValue
      if (value === null && !takes_null) return null
      const inputLength = measureLength(value)
      consumeWork(budget, 16 + inputLength * weight)
      if (spells && isContainer(value)) budget.work.consume(measureSize(value, MAX_VALUE) / 4)
      const result = run(value, budget)
      const outputLength = measureLength(result)
      if (outputLength > inputLength) consumeWork(budget, (outputLength - inputLength) * weight)
      return result
    }
  }
  return { name, bind: bindArgs }
}

function measureLength(value: Value): number {
  if (typeof value === 'string') return countCodePoints(value)
  return value instanceof Uint8Array ? value.length : 0
}

function readParams(
  name: string,
  params: readonly FilterParam<unknown>[],
  { positional, named }: FilterArgs,
): readonly unknown[] {
  if (positional.length > params.length)
    throw createInvalidError('', `passes too many arguments to the filter ${name}`)
  for (const key of named.keys()) {
    if (!params.some((param) => param.name === key)) {
      throw createInvalidError('', `passes an unknown argument to the filter ${name}`)
    }
  }
  return params.map((param, at) => {
    const arg = positional[at] ?? named.get(param.name) ?? undefined
    const value = arg === undefined ? param.fallback : param.read(toJson(arg))
    if (value === undefined && (arg !== undefined || !param.optional)) {
      throw createInvalidError('', `must pass ${param.expected} as ${param.name} to the filter ${name}`)
    }
    return value
  })
}
