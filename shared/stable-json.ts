import { isObject, type Json, WrittenNumber } from './json.ts'

/**
 * Writes JSON text that is always the same for equal values: members sorted by code unit, no spaces, every number as
 * its double (rule W-03). Parsing and writing the text again returns the same text.
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
