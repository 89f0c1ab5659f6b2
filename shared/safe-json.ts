import { CofferError, invalid } from './errors.ts'
import { isObject, type Json, readJson } from './json.ts'

const DEEPEST = 64
/** Each takes far longer to read and write than a double. */
const MOST_WRITTEN_NUMBERS = 100_000

/**
 * Parses untrusted JSON, keeping every number as written. Throws `invalid` if it is not JSON, is too deep, or contains
 * something that cannot be kept unchanged (rule A-14, case X-08).
 */
export function parseJson(text: string): Json {
  const value = read(text)
  checkJson(value)
  return value
}

function read(text: string): Json {
  try {
    return readJson(text, MOST_WRITTEN_NUMBERS)
  } catch (error) {
    if (error instanceof CofferError) throw invalid('body', error.message)
    throw error instanceof RangeError ? tooDeep() : invalid('body', 'must be valid JSON')
  }
}

function tooDeep(): CofferError {
  return invalid('body', `must not be nested deeper than ${DEEPEST} levels`)
}

/**
 * Throws `invalid` if JSON is too deep or contains a member named `__proto__` (case X-08). It walks level by level, so
 * that depth cannot exhaust the stack.
 */
export function checkJson(root: Json): void {
  let level: Json[] = [root]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) throw tooDeep()
    const next: Json[] = []
    for (const value of level) {
      if (Array.isArray(value)) for (const each of iterate(value)) next.push(each)
      else if (isObject(value)) {
        // SECURITY: assigning a member with this name elsewhere would change a prototype.
        if (Object.hasOwn(value, '__proto__')) throw invalid('body', 'must not have a member named __proto__')
        for (const each of iterate(Object.values(value))) next.push(each)
      }
    }
    level = next
  }
}

function* iterate(values: readonly Json[]): Generator<Json> {
  for (const value of values) if (typeof value === 'object') yield value
}
