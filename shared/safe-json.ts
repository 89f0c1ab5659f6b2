import { CofferError, createInvalidError } from './errors.ts'
import {
  BRACE,
  BRACE_END,
  BRACKET,
  BRACKET_END,
  endOfString,
  isObject,
  type Json,
  QUOTE,
  readJson,
} from './json.ts'

const MAX_DEPTH = 64
/** The maximum number of members, lists and objects in one request, and in the data of one token (rule R-03). */
export const MAX_MEMBERS = 30_000
/** The maximum length of a token's data as JSON, in characters. The limit of a request is the same number of bytes. */
const MAX_DATA_LENGTH = 2 * 1024 * 1024
/** Shorter text cannot have too many members. */
const SHORT_TEXT_LENGTH = MAX_MEMBERS * 2
/** The maximum number of `WrittenNumber`s in one request: each takes far longer to parse and write than a double. */
const MAX_WRITTEN_NUMBERS = 100_000

/**
 * Parses untrusted JSON, with every number as written. Throws `invalid` if it is not JSON, is too deep, or contains
 * something that cannot be stored unchanged (rule A-14, case X-08). Also throws `invalid` if it has more than
 * `maxMembers` members, lists and objects, which take longer to parse than anything else of their size (case X-48).
 */
export function parseJson(text: string, maxMembers = Number.POSITIVE_INFINITY): Json {
  const { members, depth } = measureShape(text, maxMembers)
  if (members > maxMembers) {
    throw createInvalidError('body', formatTooMany(maxMembers))
  }
  const value = readBounded(text)
  if (depth > MAX_DEPTH + 1) throw createTooDeepError()
  // SECURITY: `__proto__` can also be written with escapes. Searching the text is faster than checking the value, so
  // the value is checked only if the text may contain this name.
  if (text.includes('__proto__') || text.includes('\\u')) checkJson(value)
  return value
}

function readBounded(text: string): Json {
  try {
    return readJson(text, MAX_WRITTEN_NUMBERS)
  } catch (error) {
    if (error instanceof CofferError) throw createInvalidError('body', error.message)
    throw error instanceof RangeError
      ? createTooDeepError()
      : createInvalidError('body', 'must be valid JSON')
  }
}

function createTooDeepError(): CofferError {
  return createInvalidError('body', `must not be nested deeper than ${MAX_DEPTH} levels`)
}

/**
 * Throws `invalid` if JSON is too deep or has a member named `__proto__` (case X-08). It stops at the maximum depth, so
 * that depth cannot exhaust the stack.
 */
export function checkJson(value: Json, depth = 0): void {
  if (!Array.isArray(value) && !isObject(value)) return
  if (depth > MAX_DEPTH) throw createTooDeepError()
  // SECURITY: code that later assigns a member with this name would change a prototype.
  if (Object.hasOwn(value, '__proto__'))
    throw createInvalidError('body', 'must not have a member named __proto__')
  const inner = Array.isArray(value) ? value : Object.values(value)
  for (const each of inner) if (typeof each === 'object') checkJson(each, depth + 1)
}

/**
 * Throws `invalid` at `path` if JSON text is longer than `MAX_DATA_LENGTH`, or has more than `MAX_MEMBERS` members,
 * lists and objects (rule R-03).
 */
export function assertJsonSize(text: string, path: string): void {
  if (text.length <= SHORT_TEXT_LENGTH) return
  if (text.length > MAX_DATA_LENGTH) throw createInvalidError(path, 'must not be longer than 2 MiB as JSON')
  if (measureShape(text, MAX_MEMBERS).members > MAX_MEMBERS)
    throw createInvalidError(path, formatTooMany(MAX_MEMBERS))
}

function formatTooMany(max: number): string {
  return `must not have more than ${max.toLocaleString('en')} members, lists and objects`
}

const COLON = 58

/**
 * Counts the members, lists and objects of JSON text, until there are more than `max`, and measures its depth. Each
 * colon outside of a string counts as one member. For text that is not JSON, the result is meaningless.
 */
function measureShape(text: string, max: number): { members: number; depth: number } {
  // A search skips a million numbers in a tenth of the time.
  if (['[', '{', ':'].every((each) => hasFew(text, each))) return { members: 0, depth: 0 }
  let members = 0
  let level = 0
  let depth = 0
  for (let at = 0; at < text.length && members <= max; at++) {
    const code = text.charCodeAt(at)
    // Skips digits and commas quickly, because long JSON may be full of them.
    if (code < COLON && code !== QUOTE) continue
    switch (code) {
      case QUOTE:
        at = endOfString(text, at) - 1
        break
      case COLON:
        members++
        break
      case BRACKET:
      case BRACE:
        members++
        depth = Math.max(depth, ++level)
        break
      case BRACKET_END:
      case BRACE_END:
        level--
    }
  }
  return { members, depth }
}

/** Whether a character occurs at most 20 times, which is far below the maximum of members and of depth. */
function hasFew(text: string, character: string): boolean {
  let at = -1
  for (let count = 0; count <= 20; count++) {
    at = text.indexOf(character, at + 1)
    if (at < 0) return true
  }
  return false
}
