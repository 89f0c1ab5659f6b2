import {
  isNumber,
  isObject,
  isSeventeenDigitDouble,
  type Json,
  toDouble,
  type WrittenNumber,
} from './json.ts'
import { MAX_ERROR_PATHS, Problems, sanitizeName } from './problems.ts'

/**
 * Refuses arguments of code with a number that JavaScript would write as another, such as `1e400` or one of twenty
 * digits: code computes with doubles, so the number would change in silence (rule A-14). Throws `invalid`.
 */
export function assertExactNumbers(args: Json, path: string): void {
  const problems = new Problems()
  for (const place of findInexactNumbers(args, MAX_ERROR_PATHS)) {
    problems.add(path + place, 'is a number that JavaScript would write as another: send it as a string')
  }
  problems.throwIfAny()
}

/** Whether a value has a number that JavaScript would write as another. */
export function hasInexact(value: Json): boolean {
  return findInexactNumbers(value, 1).length > 0
}

/**
 * The first places, up to `most`, of numbers that JavaScript would write as others: `.amounts[1]`, or empty for the value
 * itself. SECURITY: bounded, because each level of a deep value writes every place anew (rule R-03).
 */
function findInexactNumbers(value: Json, max: number): string[] {
  if (isNumber(value)) return isExact(value) ? [] : ['']
  const places: string[] = []
  const countRemaining = () => max - places.length
  if (Array.isArray(value)) {
    for (const [at, each] of value.entries()) {
      for (const place of findInexactNumbers(each, countRemaining())) places.push(`[${at}]${place}`)
      if (countRemaining() === 0) break
    }
  } else if (isObject(value)) {
    for (const [name, each] of Object.entries(value)) {
      for (const place of findInexactNumbers(each, countRemaining()))
        places.push(`.${sanitizeName(name)}${place}`)
      if (countRemaining() === 0) break
    }
  }
  return places
}

function isExact(number: number | WrittenNumber): boolean {
  if (typeof number === 'number') return true
  const text = String(number)
  // A double holds every number of up to 15 digits.
  if (text.length <= 15 && !/e/i.test(text)) return true
  return toDouble(number) !== undefined || isSeventeenDigitDouble(number)
}
