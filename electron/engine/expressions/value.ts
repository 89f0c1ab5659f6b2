import { isObject, type Json, type JsonObject, WrittenNumber } from '../../../shared/json.ts'

/** An integer written as a decimal, such as `4.0`, which the standard filters, but not JSON, distinguish from 4. */
export class Decimal {
  readonly integer: number

  constructor(integer: number) {
    this.integer = integer
  }
}

/** A value in a pipeline: JSON, a decimal, or the bytes from `hmac`. A missing value is null (rule E-08). */
export type Value = Json | Decimal | Uint8Array

/** Encodes bytes as base16 in upper case. */
export function encodeBase16(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex').toUpperCase()
}

/** Converts a value to text: strings unchanged, objects and arrays as compact JSON, null as an empty string. */
export function formatValue(value: Value): string {
  if (typeof value === 'string') return value
  if (value === null) return ''
  if (value instanceof Uint8Array) return encodeBase16(value)
  if (value instanceof Decimal) return value.integer.toFixed(1)
  return JSON.stringify(value)
}

/** Whether a value is an array or an object, whose serialization consumes work from the budget of the request. */
export function isContainer(value: Value): value is Json[] | JsonObject {
  return (
    Array.isArray(value) || (isObject(value) && !(value instanceof Decimal || value instanceof Uint8Array))
  )
}

/** Converts a value to JSON; bytes become base16. */
export function toJson(value: Value): Json {
  if (value instanceof Decimal) return value.integer
  return value instanceof Uint8Array ? encodeBase16(value) : value
}

/** Whether a value is empty: null, blank text, or an array or an object that contains only empty values. */
export function isEmpty(value: Value): boolean {
  if (typeof value === 'string') return value.trim() === ''
  if (value === null) return true
  if (typeof value !== 'object' || value instanceof Uint8Array) return false
  if (value instanceof Decimal || value instanceof WrittenNumber) return false
  return Object.values(value).every((each) => isEmpty(each ?? null))
}
