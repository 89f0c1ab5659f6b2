import { isObject, type Json } from '../../../shared/json.ts'
import { maskedNumbers } from '../door/recorded-id.ts'
import { textOf } from '../expressions/value.ts'

/** What stands for a value that nobody shall read. */
export const DOTS = '••••••••'

/** Shorter values, such as a month, say nothing by themselves, and would be dotted everywhere. */
const SHORTEST = 3

/** The texts in a value that must not be shown: every string and number. */
export function secretsIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(secretsIn)
  if (isObject(value)) return Object.values(value).flatMap((each) => secretsIn(each ?? null))
  const text = textOf(value)
  return value === null || typeof value === 'boolean' || text === '' ? [] : [text]
}

/**
 * Returns a text with every secret replaced by dots, also where it is escaped as in JSON or encoded as in a form, and
 * with the digits of what may be a card number masked (rule G-07).
 */
export function dotted(text: string, secrets: readonly string[]): string {
  const forms = new Set(
    secrets
      .filter((secret) => secret.length >= SHORTEST)
      .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encoded(secret)]),
  )
  let shown = text
  // The longest first: one secret may be part of another.
  for (const form of [...forms].sort((a, b) => b.length - a.length)) shown = shown.split(form).join(DOTS)
  return maskedNumbers(shown)
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
