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
  if (!Array.isArray(value) && !isObject(value)) return []
  const paths: string[] = []
  for (const [at, each] of Object.values(value).entries()) {
    const found = findInexactNumbers(each, max - paths.length)
    if (found.length === 0) continue
    const step = Array.isArray(value) ? `[${at}]` : `.${sanitizeName(Object.keys(value)[at] ?? '')}`
    paths.push(...found.map((inner) => step + inner))
    if (paths.length === max) break
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
