import { WrittenNumber } from '../../../../shared/json.ts'
import { Decimal, jsonOf, textOf, type Value } from '../value.ts'
import type { Standard } from './standard-filter.ts'
import { listOf, memberOf } from './standard-list.ts'

/** A number as the standard filters compute with it: exact, decimal, and aware of whether it had a decimal point. */
type Exact = { readonly digits: bigint; readonly places: number; readonly decimal: boolean }

const MAX_DIGITS = 400
const ZERO: Exact = { digits: 0n, places: 0, decimal: false }

/** A value as a number: a text by the number it begins with; anything else that is not a number is 0. */
function exact(value: Value): Exact {
  if (value instanceof Decimal) return { ...parsed(String(value.whole)), decimal: true }
  if (typeof value === 'number') return { ...parsed(String(value)), decimal: !Number.isInteger(value) }
  if (value instanceof WrittenNumber) return exactWritten(value)
  if (typeof value !== 'string') return ZERO
  const text = value.trim()
  if (text.length > MAX_DIGITS) throw new RangeError('too long for a number')
  if (/^-?\d+\.\d+$/.test(text)) return parsed(text)
  return parsed(/^[+-]?\d+(_\d+)*/.exec(text)?.[0].replaceAll('_', '').replace('+', '') ?? '0')
}

/** A whole number in full, anything else as its double, because an exponent may ask for more digits than memory holds. */
function exactWritten(number: WrittenNumber): Exact {
  const written = String(number)
  if (/^-?\d+$/.test(written)) return { digits: BigInt(written), places: 0, decimal: false }
  // `10.0` stays a decimal.
  return { ...exact(finite(Number(written))), decimal: true }
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new RangeError('beyond a double')
  return value
}

function parsed(text: string): Exact {
  const [mantissa = '', exponent = '0'] = text.split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const places = fraction.length - Number(exponent)
  const digits = BigInt(whole + fraction)
  if (places >= 0) return { digits, places, decimal: fraction !== '' }
  return { digits: digits * 10n ** BigInt(-places), places: 0, decimal: false }
}

/** The number as a JSON value. Throws for a whole number that would lose digits. */
function numberOf({ digits, places, decimal }: Exact): Value {
  const value = Number(`${digits}e-${places}`)
  if (!Number.isFinite(value)) throw new RangeError('not a number')
  if (decimal) return Number.isInteger(value) ? new Decimal(value) : value
  if (BigInt(value) !== digits) throw new RangeError('loses digits')
  return value
}

/** The digits of both numbers, scaled to the same number of places. */
function aligned(one: Exact, other: Exact): { a: bigint; b: bigint; places: number; decimal: boolean } {
  const places = Math.max(one.places, other.places)
  return {
    a: one.digits * 10n ** BigInt(places - one.places),
    b: other.digits * 10n ** BigInt(places - other.places),
    places,
    decimal: one.decimal || other.decimal,
  }
}

/** The quotient, rounded down. */
function floored(a: bigint, b: bigint): bigint {
  const quotient = a / b
  return quotient * b !== a && a < 0n !== b < 0n ? quotient - 1n : quotient
}

function absolute(digits: bigint): bigint {
  return digits < 0n ? -digits : digits
}

function sumOf(one: Exact, other: Exact): Exact {
  const { a, b, places, decimal } = aligned(one, other)
  return { digits: a + b, places, decimal }
}

function compared(one: Exact, other: Exact): bigint {
  const { a, b } = aligned(one, other)
  return a - b
}

function quotientOf(one: Exact, other: Exact): Exact {
  const { a, b, decimal } = aligned(one, other)
  if (!decimal) return { digits: floored(a, b), places: 0, decimal: false }
  // More digits than a JSON number holds, even if the divisor is much larger.
  const places = 40 + Math.max(0, String(b).length - String(a).length)
  return { digits: (a * 10n ** BigInt(places)) / b, places, decimal: true }
}

/** Rounded to so many places, halves away from zero. At zero or fewer places the result is whole. */
function rounded(value: Exact, to: number): Exact {
  const dropped = value.places - to
  if (dropped <= 0) return value
  const unit = 10n ** BigInt(dropped)
  const digits = (absolute(value.digits) + unit / 2n) / unit
  const signed = value.digits < 0n ? -digits : digits
  if (to >= 0) return { digits: signed, places: to, decimal: value.decimal }
  return { digits: signed * 10n ** BigInt(-to), places: 0, decimal: value.decimal }
}

function whole({ digits, places }: Exact, round: (a: bigint, b: bigint) => bigint): Value {
  return numberOf({ digits: round(digits, 10n ** BigInt(places)), places: 0, decimal: false })
}

function ofTwo(reckon: (one: Exact, other: Exact) => Exact): Standard {
  return { least: 1, most: 1, run: (value, other = null) => numberOf(reckon(exact(value), exact(other))) }
}

function ofOne(reckon: (one: Exact) => Value): Standard {
  return { least: 0, most: 0, run: (value) => reckon(exact(value)) }
}

/** The standard filters of numbers (rule E-02). Whole numbers divide to whole numbers; decimals are exact. */
export const numberFilters: Readonly<Record<string, Standard>> = {
  abs: ofOne((one) => numberOf({ ...one, digits: absolute(one.digits) })),
  at_least: ofTwo((one, least) => (compared(least, one) > 0n ? least : one)),
  at_most: ofTwo((one, most) => (compared(most, one) < 0n ? most : one)),
  ceil: ofOne((one) => whole(one, (a, b) => -floored(-a, b))),
  divided_by: ofTwo(quotientOf),
  floor: ofOne((one) => whole(one, floored)),
  minus: ofTwo((one, other) => sumOf(one, { ...other, digits: -other.digits })),
  modulo: ofTwo((one, other) => {
    const { a, b, places, decimal } = aligned(one, other)
    return { digits: a - b * floored(a, b), places, decimal }
  }),
  plus: ofTwo(sumOf),
  round: {
    least: 0,
    most: 1,
    run: (value, to = 0) => {
      const places = Math.trunc(Number(jsonOf(numberOf(exact(to)))))
      if (Math.abs(places) > MAX_DIGITS) throw new RangeError('too many places')
      const result = rounded(exact(value), places)
      return numberOf(places === 0 ? { ...result, decimal: false } : result)
    },
  },
  sum: {
    least: 0,
    most: 1,
    run: (value, property = null) => {
      const name = property === null ? null : textOf(property)
      const items = listOf(value).map((item) => (name === null ? item : memberOf(item, name)))
      return numberOf(listOf(items).map(exact).reduce(sumOf, ZERO))
    },
  },
  times: ofTwo((one, other) => ({
    digits: one.digits * other.digits,
    places: one.places + other.places,
    decimal: one.decimal || other.decimal,
  })),
}
