import { createInvalidError } from './errors.ts'

/** A JSON value. A number that a double would write differently is a `WrittenNumber` (rule A-14). */
export type Json = null | boolean | number | WrittenNumber | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

declare global {
  interface JSON {
    /** Returns a value that `stringify` writes as this text. */
    rawJSON(text: string): object
  }
}

/** The maximum number of characters in a number. */
export const MAX_NUMBER_LENGTH = 1000

const text = Symbol('text')

/**
 * A number that a double would not write back unchanged: `19.90`, `1e21`, forty digits (rule A-14). `JSON.stringify`
 * writes it unchanged; arithmetic uses its double, and `String` its text. It is not a JSON object. It crosses processes
 * only as JSON text: a structured clone would lose it.
 */
export class WrittenNumber {
  // Stored under a symbol, so that code that iterates over members does not see the text.
  readonly [text]: string
  #raw: object | undefined

  constructor(written: string) {
    this[text] = written
  }

  toString(): string {
    return this[text]
  }

  /** The double, for arithmetic. */
  valueOf(): number {
    return Number(this[text])
  }

  toJSON(): object {
    this.#raw ??= JSON.rawJSON(this[text])
    return this.#raw
  }
}

/** Whether a value is a plain JSON object (not null, an array or a `WrittenNumber`). */
export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WrittenNumber)
  )
}

/** Whether a value is a number of either kind. */
export function isNumber(value: unknown): value is number | WrittenNumber {
  return typeof value === 'number' || value instanceof WrittenNumber
}

/** Converts a `WrittenNumber` to its double, for computation. Other values stay unchanged. */
export function toComputable<T>(value: T | WrittenNumber): T | number {
  return value instanceof WrittenNumber ? Number(value) : value
}

/** Applies `toComputable` to a value and everything in it. */
export function toComputableDeep(value: Json): Json {
  if (Array.isArray(value)) return value.map(toComputableDeep)
  if (!isObject(value)) return toComputable(value)
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toComputableDeep(each)]))
}

/** The maximum length of a double: a sign, 17 digits, a point, `e`, a sign, three digits, and some margin. */
const MAX_DOUBLE_LENGTH = 32

/**
 * Parses the text of a JSON number: a double if it is written the same way, or else a `WrittenNumber`. Throws `invalid`
 * if it has more than 1,000 characters.
 */
export function toJsonNumber(written: string): number | WrittenNumber {
  // A double is never written with more characters, and converting a longer number would be slow.
  if (written.length <= MAX_DOUBLE_LENGTH) {
    const value = Number(written)
    if (String(value) === written) return value
  }
  if (written.length > MAX_NUMBER_LENGTH)
    throw createInvalidError('', 'has a number of more than 1,000 characters')
  return new WrittenNumber(written)
}

/** Returns the double with the same value, such as 1 for `1.0`; undefined if there is none. */
export function toDouble(number: number | WrittenNumber): number | undefined {
  if (typeof number === 'number') return number
  const value = Number(number)
  if (!Number.isFinite(value) || toCanonicalDecimal(String(value)) !== toCanonicalDecimal(String(number)))
    return undefined
  return value
}

/**
 * Whether a number is the 17-digit form of a double, such as 0.10000000000000001 for 0.1. Returns false for every
 * integer: it may be an id, whose last digits would be lost.
 */
export function isSeventeenDigitDouble(number: WrittenNumber): boolean {
  const value = Number(number)
  if (!Number.isFinite(value) || Number.isInteger(value)) return false
  return toCanonicalDecimal(value.toPrecision(17)) === toCanonicalDecimal(String(number))
}

/** Converts a decimal number to a canonical form, which is the same string for equal values. */
function toCanonicalDecimal(written: string): string {
  const [, sign = '', integer = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(written) ?? []
  const digits = (integer + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}

/**
 * Parses JSON so that `JSON.stringify` writes every number unchanged (rule A-14). Throws a SyntaxError if it is not
 * JSON, a RangeError if it is nested thousands deep, and `invalid` for a number of more than 1,000 characters or more
 * than `maxWritten` numbers that need a `WrittenNumber`.
 */
export function readJson(json: string, maxWritten = Number.POSITIVE_INFINITY): Json {
  const value = JSON.parse(json) as Json
  return hasWritten(json) ? new JsonReader(json, maxWritten).readValue() : value
}

/** JSON text longer than this stays on one line, because indenting it would be slow. */
const MAX_INDENTED_LENGTH = 64 * 1024
/** Text stays on one line if indenting made it longer than this: deeply nested JSON would be mostly spaces. */
const MAX_INDENTED_RESULT = 1024 * 1024

/**
 * Writes JSON for people: indented, with a final line break. Text stays on one line if it has more than 65,536
 * characters, or would have more than 1,048,576 when indented.
 */
export function writeReadableJson(value: unknown): string {
  const text = JSON.stringify(value)
  const isLong = text.length > MAX_INDENTED_LENGTH || estimateIndentedLength(text) > MAX_INDENTED_RESULT
  return `${isLong ? text : JSON.stringify(value, null, 2)}\n`
}

/** Estimates the length of valid JSON with two spaces per level and one line per value. */
function estimateIndentedLength(json: string): number {
  let length = json.length
  let level = 0
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = endOfString(json, at) - 1
    else if (code === COMMA) length += 2 * level
    else if (code === BRACKET || code === BRACE) length += 2 * ++level
    else if (code === BRACKET_END || code === BRACE_END) length += 2 * --level
  }
  return length
}

/**
 * Matches JSON in which a number may not round-trip through a double: a fraction, an exponent, 16 or more digits, or
 * `-0`. Strings match too, so only the absence of a match proves something: that `JSON.parse` changes no number.
 */
const MAY_BE_WRITTEN = /\d[.eE]|(?<!\d)\d{16}|-0/

/** Whether valid JSON has a number that a double would write differently. Most has none: `JSON.parse` suffices. */
function hasWritten(json: string): boolean {
  if (!MAY_BE_WRITTEN.test(json)) return false
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = endOfString(json, at) - 1
    else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(json, at)
      if (isWrittenDifferently(json, at, end)) return true
      at = end - 1
    }
  }
  return false
}

/** Whether a double would write the number between `start` and `end` differently. */
function isWrittenDifferently(json: string, start: number, end: number): boolean {
  if (end - start > MAX_DOUBLE_LENGTH) return true
  if (isPlain(json, start, end)) return false
  const written = json.slice(start, end)
  return String(Number(written)) !== written
}

export const QUOTE = 34
const COMMA = 44
const MINUS = 45
const BACKSLASH = 92
export const BRACKET = 91
export const BRACKET_END = 93
export const BRACE = 123
export const BRACE_END = 125

/** A double writes integers of up to this many digits unchanged. */
const SAFE_DIGITS = 15

function isPlain(json: string, start: number, end: number): boolean {
  if (end - start > SAFE_DIGITS) return false
  for (let at = start; at < end; at++) if (!isDigit(json.charCodeAt(at))) return false
  return true
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

/** Returns the end of the string that begins at `start`, or the end of the text if the string is not closed. */
export function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at > 0; at = json.indexOf('"', at)) {
    let before = at
    while (json.charCodeAt(before - 1) === BACKSLASH) before--
    if ((at - before) % 2 === 0) return at + 1
    // Escapes often follow each other, and stepping over them is faster than searching.
    at++
    for (let code = json.charCodeAt(at); code === BACKSLASH; code = json.charCodeAt(at)) at += 2
  }
  return json.length
}

/** Returns the end of the number that begins at `start` in valid JSON, at most at the maximum length. */
function endOfNumber(json: string, start: number): number {
  let at = start + 1
  const last = start + MAX_NUMBER_LENGTH
  while (at <= last && (isDigit(json.charCodeAt(at)) || '.eE+-'.includes(json.charAt(at) || ' '))) at++
  return at
}

/**
 * Parses JSON that is known to be valid, with its numbers as written. A `JSON.parse` reviver could get the source text
 * of each number too, but takes ten times as long: most of a second for large JSON.
 */
class JsonReader {
  readonly #json: string
  #at = 0
  #remaining: number

  constructor(json: string, maxWritten: number) {
    this.#json = json
    this.#remaining = maxWritten
  }

  readValue(): Json {
    switch (this.#peekCode()) {
      case BRACE:
        return this.#readObject()
      case BRACKET:
        return this.#readList()
      case QUOTE:
        return this.#readString()
      case 116:
        return this.#skipWord('true', true)
      case 102:
        return this.#skipWord('false', false)
      case 110:
        return this.#skipWord('null', null)
      default:
        return this.#readNumber()
    }
  }

  /** Skips spaces and returns the code of the next character. */
  #peekCode(): number {
    while (this.#json.charCodeAt(this.#at) <= 32) this.#at++
    return this.#json.charCodeAt(this.#at)
  }

  #skipWord<T>(word: string, value: T): T {
    this.#at += word.length
    return value
  }

  #readObject(): Json {
    const members: [string, Json][] = []
    do {
      this.#at++
      if (this.#peekCode() !== QUOTE) break
      const name = this.#readString()
      this.#peekCode()
      this.#at++
      members.push([name, this.readValue()])
    } while (this.#peekCode() === COMMA)
    this.#at++
    // SECURITY: fromEntries defines members, so `__proto__` stays a member and does not set the prototype.
    return Object.fromEntries(members)
  }

  #readList(): Json {
    const items: Json[] = []
    do {
      this.#at++
      if (this.#peekCode() === BRACKET_END) break
      items.push(this.readValue())
    } while (this.#peekCode() === COMMA)
    this.#at++
    return items
  }

  #readString(): string {
    const start = this.#at
    this.#at = endOfString(this.#json, start)
    const inner = this.#json.slice(start + 1, this.#at - 1)
    return inner.includes('\\') ? JSON.parse(`"${inner}"`) : inner
  }

  #readNumber(): number | WrittenNumber {
    const start = this.#at
    this.#at = endOfNumber(this.#json, start)
    const number = toJsonNumber(this.#json.slice(start, this.#at))
    if (typeof number !== 'number' && --this.#remaining < 0) {
      throw createInvalidError('', 'has too many numbers that a double would write differently, such as 1.0')
    }
    return number
  }
}
