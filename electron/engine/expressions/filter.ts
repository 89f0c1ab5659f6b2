import { lengthOf } from '../../../shared/characters.ts'
import { invalid } from '../../../shared/errors.ts'
import { type Budget, MAX_VALUE, sizeOf, spend } from './bounds.ts'
import type { Param } from './params.ts'
import { Decimal, isContainer, jsonOf, type Value } from './value.ts'

/** The arguments of one use of a filter, by position and by name. */
export type Args = { readonly positional: readonly Value[]; readonly named: ReadonlyMap<string, Value> }

/** A filter with its arguments bound. */
export type Run = (value: Value, budget: Budget) => Value

/** A filter: checks the arguments of one use (400 if they are wrong) and returns the function to run on a value. */
export type Filter = { readonly name: string; readonly bind: (args: Args) => Run }

type Options = {
  /** Work per character; a filter that reads its value once costs a quarter. */
  readonly weight?: number
  /** Whether the filter is called for null too; otherwise null stays null. */
  readonly takes_null?: boolean
  /** Whether it writes a list or an object out as text first. */
  readonly spells?: boolean
}

/**
 * Makes one of Coffer's own filters (rule E-02). `prepare` gets the checked arguments, once per expression if they
 * are literals, and returns the function to run on values. Errors name the filter, never a value.
 */
export function filter<T extends readonly unknown[]>(
  name: string,
  params: readonly [...{ [K in keyof T]: Param<T[K]> }],
  prepare: (...args: T) => Run,
  { weight = 0.25, takes_null = false, spells = true }: Options = {},
): Filter {
  const bind = (args: Args): Run => {
    const values = readParams(name, params, args)
    const run = prepare(...(values as unknown as T))
    return (given_value, budget) => {
      const value = given_value instanceof Decimal ? given_value.whole : given_value
      if (value === null && !takes_null) return null
      const taken = extentOf(value)
      spend(budget, 16 + taken * weight)
      if (spells && isContainer(value)) budget.work.spend(sizeOf(value, MAX_VALUE) / 4)
      const result = run(value, budget)
      const given = extentOf(result)
      if (given > taken) spend(budget, (given - taken) * weight)
      return result
    }
  }
  return { name, bind }
}

function extentOf(value: Value): number {
  if (typeof value === 'string') return lengthOf(value)
  return value instanceof Uint8Array ? value.length : 0
}

function readParams(name: string, params: readonly Param<unknown>[], { positional, named }: Args): unknown[] {
  if (positional.length > params.length) throw invalid('', `gives the filter ${name} too many arguments`)
  for (const key of named.keys()) {
    if (!params.some((param) => param.name === key)) {
      throw invalid('', `gives the filter ${name} an argument it does not know`)
    }
  }
  return params.map((param, at) => {
    const given = positional[at] ?? named.get(param.name) ?? undefined
    const value = given === undefined ? param.fallback : param.read(jsonOf(given))
    if (value === undefined && (given !== undefined || !param.optional)) {
      throw invalid('', `must give the filter ${name} ${param.expected} as ${param.name}`)
    }
    return value
  })
}
