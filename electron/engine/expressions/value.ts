import type { Json } from '../../../shared/json.ts'

/** What flows through a pipeline: JSON, or the bytes `hmac` gives. A missing value is null (rule E-08). */
export type Value = Json | Uint8Array

/** Bytes as base16 in upper case. */
export function base16(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex').toUpperCase()
}

/** A value as text: strings as they are, objects and arrays as compact JSON, null as nothing. */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value
  if (value === null) return ''
  if (value instanceof Uint8Array) return base16(value)
  return JSON.stringify(value)
}

/** A value as JSON: bytes that nothing encoded become base16. */
export function jsonOf(value: Value): Json {
  return value instanceof Uint8Array ? base16(value) : value
}
