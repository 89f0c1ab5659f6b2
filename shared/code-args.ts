import { doubleOf, isNumber, isObject, type Json } from './json.ts'
import { Problems, safeName } from './problems.ts'

/**
 * Refuses arguments of code with a number that a double does not hold exactly, such as `1e400` or one of twenty digits:
 * code computes with doubles, so it would get another number in silence (rule A-14). Throws `invalid`.
 */
export function refuseInexact(args: Json, path: string): void {
  const problems = new Problems()
  for (const place of inexactIn(args)) {
    problems.add(path + place, 'is a number that JavaScript cannot hold exactly: send it as a string')
  }
  problems.throwIfAny()
}

/** Where a value has numbers that a double does not hold exactly: `.amounts[1]`, or empty for the value itself. */
export function inexactIn(value: Json): string[] {
  if (isNumber(value)) return doubleOf(value) === undefined ? [''] : []
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
