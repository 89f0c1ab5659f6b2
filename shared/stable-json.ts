import { isObject, type Json, WrittenNumber } from './json.ts'

/**
 * JSON text that is the same wherever it is written: the members of every object sorted by code unit, no spaces, every
 * number as its double (rule W-03). Parsing the text and writing it again gives the same text.
 */
export function toStableJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(toStableJson).join(',')}]`
  if (value instanceof WrittenNumber) return JSON.stringify(Number(value))
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${toStableJson(value[name] ?? null)}`)
  return `{${members.join(',')}}`
}
