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
 * Throws `invalid` with the paths of numbers that would change in JavaScript. Arguments for code must not contain such
 * numbers: code computes with doubles, so `1e400` or a number of twenty digits would change silently (rule A-14).
 */
export function assertExactNumbers(args: Json, path: string): void {
  const problems = new Problems()
  for (const inner of findInexactNumbers(args, MAX_ERROR_PATHS)) {
    problems.add(path + inner, 'is a number that JavaScript cannot represent exactly: send it as a string')
  }
  problems.throwIfAny()
}

/** Whether a value contains a number that changes its value in JavaScript (rule A-14). */
export function hasInexact(value: Json): boolean {
  return findInexactNumbers(value, 1).length > 0
}

/**
 * Returns the paths of the first `max` numbers that change their value in JavaScript: `.amounts[1]`, or an empty string
 * for the value itself. SECURITY: the number of paths is limited, because each level of a deep value copies every path
 * (rule R-03).
 */
function findInexactNumbers(value: Json, max: number): string[] {
  if (isNumber(value)) return isExact(value) ? [] : ['']
  const paths: string[] = []
  const countRemaining = () => max - paths.length
  if (Array.isArray(value)) {
    for (const [at, each] of value.entries()) {
      for (const inner of findInexactNumbers(each, countRemaining())) paths.push(`[${at}]${inner}`)
      if (countRemaining() === 0) break
    }
  } else if (isObject(value)) {
    for (const [name, each] of Object.entries(value)) {
      for (const inner of findInexactNumbers(each, countRemaining()))
        paths.push(`.${sanitizeName(name)}${inner}`)
      if (countRemaining() === 0) break
    }
  }
  return paths
}

function isExact(number: number | WrittenNumber): boolean {
  if (typeof number === 'number') return true
  const text = String(number)
  // Converting a number of up to 15 digits to a double and back does not change its value.
  if (text.length <= 15 && !/e/i.test(text)) return true
  return toDouble(number) !== undefined || isSeventeenDigitDouble(number)
}
