import { isObject, type Json, type JsonObject, WrittenNumber } from '../../../shared/json.ts'

/** A decimal number whose value is whole, such as `4.0`. JSON does not distinguish it from 4; the standard filters do. */
export class Decimal {
  readonly integer: number

  constructor(integer: number) {
    this.integer = integer
  }
}

/** What flows through a pipeline: JSON, decimals, or the bytes from `hmac`. A missing value is null (rule E-08). */
export type Value = Json | Decimal | Uint8Array

/** Bytes as base16 in upper case. */
export function encodeBase16(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex').toUpperCase()
}

/** A value as text: strings as they are, objects and arrays as compact JSON, null as the empty string. */
export function formatValue(value: Value): string {
  if (typeof value === 'string') return value
  if (value === null) return ''
  if (value instanceof Uint8Array) return encodeBase16(value)
  if (value instanceof Decimal) return value.integer.toFixed(1)
  return JSON.stringify(value)
}

/** Whether a value is a list or an object, whose text takes work to write. */
export function isContainer(value: Value): value is Json[] | JsonObject {
  return (
    Array.isArray(value) || (isObject(value) && !(value instanceof Decimal || value instanceof Uint8Array))
  )
}

/** A value as JSON: bytes that were not encoded become base16. */
export function toJson(value: Value): Json {
  if (value instanceof Decimal) return value.integer
  return value instanceof Uint8Array ? encodeBase16(value) : value
}

/** Whether a value is empty: null, blank text, or a list or object that holds nothing else. */
export function isEmpty(value: Value): boolean {
  if (typeof value === 'string') return value.trim() === ''
  if (value === null) return true
  if (typeof value !== 'object' || value instanceof Uint8Array) return false
  if (value instanceof Decimal || value instanceof WrittenNumber) return false
  return Object.values(value).every((each) => isEmpty(each ?? null))
}
