import { doubleOf, isNumber, isObject, isSpelledDouble, type Json, type WrittenNumber } from './json.ts'
import { Problems, safeName } from './problems.ts'

/**
 * Refuses arguments of code with a number that JavaScript would write as another, such as `1e400` or one of twenty
 * digits: code computes with doubles, so the number would change in silence (rule A-14). Throws `invalid`.
 */
export function refuseInexact(args: Json, path: string): void {
  const problems = new Problems()
  for (const place of inexactIn(args)) {
    problems.add(path + place, 'is a number that JavaScript would write as another: send it as a string')
  }
  problems.throwIfAny()
}

/** Where a value has numbers that JavaScript would write as others: `.amounts[1]`, or empty for the value itself. */
export function inexactIn(value: Json): string[] {
  if (isNumber(value)) return isKept(value) ? [] : ['']
  const places: string[] = []
  if (Array.isArray(value)) {
    for (const [at, each] of value.entries()) {
      for (const place of inexactIn(each)) places.push(`[${at}]${place}`)
    }
  } else if (isObject(value)) {
    for (const [name, each] of Object.entries(value)) {
      for (const place of inexactIn(each)) places.push(`.${safeName(name)}${place}`)
    }
  }
  return places
}

function isKept(number: number | WrittenNumber): boolean {
  return typeof number === 'number' || doubleOf(number) !== undefined || isSpelledDouble(number)
}
