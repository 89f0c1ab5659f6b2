import { WrittenNumber } from '../../../../shared/json.ts'
import { Decimal, formatValue, toJson, type Value } from '../value.ts'
import type { StandardFilter } from './standard-filter.ts'
import { getMember, toList } from './standard-list.ts'

/** A number in exact decimal arithmetic, and whether it was written with a decimal point. */
type ExactNumber = { readonly digits: bigint; readonly places: number; readonly decimal: boolean }

const MAX_DIGITS = 400
const ZERO: ExactNumber = { digits: 0n, places: 0, decimal: false }

/** Converts a value to a number. A string gives the number it starts with; any other value gives 0. */
function toExactNumber(value: Value): ExactNumber {
  if (value instanceof Decimal) return { ...parseExactNumber(String(value.integer)), decimal: true }
  if (typeof value === 'number')
    return { ...parseExactNumber(String(value)), decimal: !Number.isInteger(value) }
  if (value instanceof WrittenNumber) return parseWrittenNumber(value)
  if (typeof value !== 'string') return ZERO
  const text = value.trim()
  if (text.length > MAX_DIGITS) throw new RangeError('too long for a number')
  if (/^-?\d+\.\d+$/.test(text)) return parseExactNumber(text)
  return parseExactNumber(/^[+-]?\d+(_\d+)*/.exec(text)?.[0].replaceAll('_', '').replace('+', '') ?? '0')
}

/** Parses an integer exactly, anything else as a double: the digits of a large exponent may not fit in memory. */
function parseWrittenNumber(number: WrittenNumber): ExactNumber {
  const written = String(number)
  if (/^-?\d+$/.test(written)) return { digits: BigInt(written), places: 0, decimal: false }
  // A number like `10.0` counts as a decimal, not as an integer.
  return { ...toExactNumber(requireFinite(Number(written))), decimal: true }
}

function requireFinite(value: number): number {
  if (!Number.isFinite(value)) throw new RangeError('beyond a double')
  return value
}

function parseExactNumber(text: string): ExactNumber {
  const [mantissa = '', exponent = '0'] = text.split('e')
  const [integer = '', fraction = ''] = mantissa.split('.')
  const places = fraction.length - Number(exponent)
  const digits = BigInt(integer + fraction)
  if (places >= 0) return { digits, places, decimal: fraction !== '' }
  return { digits: digits * 10n ** BigInt(-places), places: 0, decimal: false }
}

/** Converts a number to a JSON value. Throws for an integer that would lose digits. */
function toNumberValue({ digits, places, decimal }: ExactNumber): Value {
  const value = Number(`${digits}e-${places}`)
  if (!Number.isFinite(value)) throw new RangeError('not a number')
  if (decimal) return Number.isInteger(value) ? new Decimal(value) : value
  if (BigInt(value) !== digits) throw new RangeError('loses digits')
  return value
}

/** Converts both numbers to the same number of decimal places. */
function alignDigits(
  one: ExactNumber,
  other: ExactNumber,
): { a: bigint; b: bigint; places: number; decimal: boolean } {
  const places = Math.max(one.places, other.places)
  return {
    a: one.digits * 10n ** BigInt(places - one.places),
    b: other.digits * 10n ** BigInt(places - other.places),
    places,
    decimal: one.decimal || other.decimal,
  }
}

/** Divides and rounds the quotient down, also for negative numbers. */
function divideDown(a: bigint, b: bigint): bigint {
  const quotient = a / b
  return quotient * b !== a && a < 0n !== b < 0n ? quotient - 1n : quotient
}

function toAbsolute(digits: bigint): bigint {
  return digits < 0n ? -digits : digits
}

function addNumbers(one: ExactNumber, other: ExactNumber): ExactNumber {
  const { a, b, places, decimal } = alignDigits(one, other)
  return { digits: a + b, places, decimal }
}

function compareNumbers(one: ExactNumber, other: ExactNumber): bigint {
  const { a, b } = alignDigits(one, other)
  return a - b
}

function divideNumbers(one: ExactNumber, other: ExactNumber): ExactNumber {
  const { a, b, decimal } = alignDigits(one, other)
  if (!decimal) return { digits: divideDown(a, b), places: 0, decimal: false }
  // With this many places, the quotient has more digits than a JSON number can hold, even if the divisor is much larger
  // than the dividend.
  const places = 40 + Math.max(0, String(b).length - String(a).length)
  return { digits: (a * 10n ** BigInt(places)) / b, places, decimal: true }
}

/** Rounds to a number of decimal places, halves away from zero. At zero or fewer places, the result is an integer. */
function roundNumber(value: ExactNumber, to: number): ExactNumber {
  const dropped = value.places - to
  if (dropped <= 0) return value
  const unit = 10n ** BigInt(dropped)
  const digits = (toAbsolute(value.digits) + unit / 2n) / unit
  const signed = value.digits < 0n ? -digits : digits
  if (to >= 0) return { digits: signed, places: to, decimal: value.decimal }
  return { digits: signed * 10n ** BigInt(-to), places: 0, decimal: value.decimal }
}

function roundToInteger({ digits, places }: ExactNumber, round: (a: bigint, b: bigint) => bigint): Value {
  return toNumberValue({ digits: round(digits, 10n ** BigInt(places)), places: 0, decimal: false })
}

function defineBinaryFilter(compute: (one: ExactNumber, other: ExactNumber) => ExactNumber): StandardFilter {
  return {
    minArgs: 1,
    maxArgs: 1,
    run: (value, other = null) => toNumberValue(compute(toExactNumber(value), toExactNumber(other))),
  }
}

function defineUnaryFilter(compute: (one: ExactNumber) => Value): StandardFilter {
  return { minArgs: 0, maxArgs: 0, run: (value) => compute(toExactNumber(value)) }
}

/** The standard filters for numbers (rule E-02). Dividing integers gives an integer; decimals are exact. */
export const numberFilters: Readonly<Record<string, StandardFilter>> = {
  abs: defineUnaryFilter((one) => toNumberValue({ ...one, digits: toAbsolute(one.digits) })),
  at_least: defineBinaryFilter((one, min) => (compareNumbers(min, one) > 0n ? min : one)),
  at_most: defineBinaryFilter((one, max) => (compareNumbers(max, one) < 0n ? max : one)),
  ceil: defineUnaryFilter((one) => roundToInteger(one, (a, b) => -divideDown(-a, b))),
  divided_by: defineBinaryFilter(divideNumbers),
  floor: defineUnaryFilter((one) => roundToInteger(one, divideDown)),
  minus: defineBinaryFilter((one, other) => addNumbers(one, { ...other, digits: -other.digits })),
  modulo: defineBinaryFilter((one, other) => {
    const { a, b, places, decimal } = alignDigits(one, other)
    return { digits: a - b * divideDown(a, b), places, decimal }
  }),
  plus: defineBinaryFilter(addNumbers),
  round: {
    minArgs: 0,
    maxArgs: 1,
    run: (value, to = 0) => {
      const places = Math.trunc(Number(toJson(toNumberValue(toExactNumber(to)))))
      if (Math.abs(places) > MAX_DIGITS) throw new RangeError('too many places')
      const result = roundNumber(toExactNumber(value), places)
      return toNumberValue(places === 0 ? { ...result, decimal: false } : result)
    },
  },
  sum: {
    minArgs: 0,
    maxArgs: 1,
    run: (value, property = null) => {
      const name = property === null ? null : formatValue(property)
      const items = toList(value).map((item) => (name === null ? item : getMember(item, name)))
      return toNumberValue(toList(items).map(toExactNumber).reduce(addNumbers, ZERO))
    },
  },
  times: defineBinaryFilter((one, other) => ({
    digits: one.digits * other.digits,
    places: one.places + other.places,
    decimal: one.decimal || other.decimal,
  })),
}
