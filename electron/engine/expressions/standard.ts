import { CofferError, invalid } from '../../../shared/errors.ts'
import { isObject, type Json } from '../../../shared/json.ts'
import { MAX_STEP, refuseStep, sizeOf, spend } from './bounds.ts'
import type { Args, Filter } from './filter.ts'
import type { Standard } from './filters/standard-filter.ts'
import { listFilters } from './filters/standard-list.ts'
import { numberFilters } from './filters/standard-number.ts'
import { textFilters } from './filters/standard-text.ts'
import { Decimal, jsonOf, type Value } from './value.ts'

/** Filters that pass a value through, whatever its size. */
const passing = ['default', 'first', 'last', 'size']

/** The extra work of a searching filter per character of its arguments. */
const searching: ReadonlyMap<string, number> = new Map([
  ...'remove remove_first remove_last replace replace_first replace_last split'
    .split(' ')
    .map((name) => [name, 1 / 16] as const),
  ...'find find_index has map reject sort sort_natural sum where'
    .split(' ')
    .map((name) => [name, 1 / 2] as const),
])

const defaultFilter: Standard = {
  least: 0,
  most: 2,
  run: (value, fallback = '', allow_false = false) => {
    const plain = jsonOf(value)
    if (plain === false) return allow_false === false || allow_false === null ? fallback : false
    const isEmpty = plain === '' || plain === null || isEmptyWithin(plain)
    return isEmpty ? fallback : value
  },
}

/** The standard Liquid filters, with standard results (rule E-02). */
export const standardFilters: readonly Filter[] = Object.entries({
  ...textFilters,
  ...numberFilters,
  ...listFilters,
  default: defaultFilter,
}).map(([name, standard]) => ({ name, bind: binder(name, standard) }))

function binder(name: string, { least, most, run }: Standard): Filter['bind'] {
  const factor = searching.get(name) ?? 0
  return (args) => {
    const given = list(name, args)
    if (given.length < least) throw invalid('', `must give the filter ${name} ${least} or more arguments`)
    if (given.length > most) throw invalid('', `gives the filter ${name} too many arguments`)
    const extent = given.length === 0 ? 0 : sizeOf(given.map(jsonOf), MAX_STEP)
    return (taken, budget) => {
      const value = taken instanceof Decimal ? taken : jsonOf(taken)
      if (!passing.includes(name)) {
        const size = sizeOf(value, MAX_STEP) + extent
        if (size > MAX_STEP) refuseStep(budget)
        spend(budget, size * (1 + extent * factor) * (name === 'strip_html' ? 3 : 1))
      }
      spend(budget, 32 + passed(name, value))
      const result = attempt(name, () => run(value, ...given))
      if (!passing.includes(name) && sizeOf(result, MAX_STEP) > MAX_STEP) refuseStep(budget)
      return result
    }
  }
}

/** The work of a filter that passes any value through: only texts and objects take longer the larger they are. */
function passed(name: string, value: Value): number {
  if (name === 'size' && typeof value === 'string') return value.length / 4
  const looks = name === 'size' || name === 'default'
  return looks && isObject(value) ? 2 * sizeOf(value, MAX_STEP) : 0
}

function isEmptyWithin(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && Object.keys(value).length === 0
}

function list(name: string, { positional, named }: Args): Value[] {
  for (const key of named.keys()) {
    if (name !== 'default' || key !== 'allow_false') {
      throw invalid('', `gives the filter ${name} an argument it does not know`)
    }
  }
  if (named.size === 0) return [...positional]
  const [fallback = ''] = positional
  return [fallback, ...named.values()]
}

function attempt(name: string, run: () => Value): Value {
  try {
    return run()
  } catch (error) {
    if (error instanceof CofferError) throw error
    // SECURITY: a foreign message may quote the data.
    throw invalid('', `gives the filter ${name} something it cannot take`)
  }
}
