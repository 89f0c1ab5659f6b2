import { CofferError, invalid } from './errors.ts'
import { endOfString, isObject, type Json, QUOTE, readJson } from './json.ts'

const DEEPEST = 64
/** Each takes far longer to read and write than a double. */
const MOST_WRITTEN_NUMBERS = 100_000

/**
 * Parses untrusted JSON, keeping every number as written. Throws `invalid` if it is not JSON, is too deep, contains
 * something that cannot be kept unchanged (rule A-14, case X-08), or has more than `mostMembers` members, lists and
 * objects, which take longer to read than anything else of their size (case X-48).
 */
export function parseJson(text: string, mostMembers = Number.POSITIVE_INFINITY): Json {
  if (hasMoreMembers(text, mostMembers)) {
    const most = mostMembers.toLocaleString('en')
    throw invalid('body', `must not have more than ${most} members, lists and objects`)
  }
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
 * Throws `invalid` if JSON is too deep or contains a member named `__proto__` (case X-08). It goes no deeper than
 * allowed, so that depth cannot exhaust the stack.
 */
export function checkJson(value: Json, depth = 0): void {
  if (Array.isArray(value)) {
    if (depth > DEEPEST) throw tooDeep()
    for (const each of value) if (typeof each === 'object') checkJson(each, depth + 1)
  } else if (isObject(value)) {
    if (depth > DEEPEST) throw tooDeep()
    // SECURITY: assigning a member with this name elsewhere would change a prototype.
    if (Object.hasOwn(value, '__proto__')) throw invalid('body', 'must not have a member named __proto__')
    for (const each of Object.values(value)) if (typeof each === 'object') checkJson(each, depth + 1)
  }
}

const COLON = 58
const BRACKET = 91
const BRACE = 123

/** Whether a JSON text has more members, lists and objects than allowed. Outside of strings, a colon is a member. */
function hasMoreMembers(text: string, most: number): boolean {
  // Each takes two characters or more.
  if (text.length < 2 * most) return false
  let members = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code === COLON || code === BRACKET || code === BRACE) && ++members > most) return true
    if (code === QUOTE) at = endOfString(text, at) - 1
  }
  return false
}
