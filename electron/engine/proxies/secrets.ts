import { isObject, type Json } from '../../../shared/json.ts'
import { maskedNumbers } from '../door/recorded-id.ts'
import { textOf } from '../expressions/value.ts'
import { processorTime } from './processor-time.ts'

/** What stands for a value that nobody shall read. */
export const DOTS = '••••••••'

/** Shorter values, such as a month, say nothing by themselves, and would be dotted everywhere. */
const SHORTEST = 3

/** The most characters that are looked through for secrets: each secret is looked for in the whole text (rule R-03). */
const MOST_LOOKED_AT = 10_000_000
/** How long that may take, in ms: a text made for it takes a hundred times as long as an ordinary one (case X-65). */
const MOST_MS = 15
/** Numbers are looked for in so many characters at once. */
const PIECE = 32_768

/** Adds texts to a list. A spread of so many as a token may hold would be too many arguments. */
export function addTo(list: string[], more: readonly string[]): void {
  for (const text of more) list.push(text)
}

/** Shorter parts of a token's data, such as a month, are hidden only where an expression takes them. */
const LONG = 6

/** The texts in a value that must not be shown, whatever part of it an expression takes (rule G-07). */
export function longSecretsIn(value: Json): string[] {
  return secretsIn(value).filter((text) => text.length >= LONG)
}

/** The texts in a value that must not be shown: every string and number. */
export function secretsIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(secretsIn)
  if (isObject(value)) return Object.values(value).flatMap((each) => secretsIn(each ?? null))
  const text = textOf(value)
  return value === null || typeof value === 'boolean' || text === '' ? [] : [text]
}

/**
 * Returns a text with every secret replaced by dots, also where it is escaped as in JSON or encoded as in a form, and
 * with the digits of what may be a card number masked (rule G-07). Where so many secrets cannot be looked for in so long
 * a text, all of it is dots.
 */
export function dotted(text: string, secrets: readonly string[]): string {
  const long = secrets.filter((secret) => secret.length >= SHORTEST)
  if (long.length * text.length > MOST_LOOKED_AT) return DOTS
  const forms = new Set(
    long.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encoded(secret)]),
  )
  if (forms.size * text.length > MOST_LOOKED_AT) return DOTS
  let shown = text
  const started = processorTime()
  const isLate = () => processorTime() - started > MOST_MS
  // The longest first: one secret may be part of another.
  for (const form of [...forms].sort((a, b) => b.length - a.length)) {
    shown = shown.split(form).join(DOTS)
    // SECURITY: not what has been dotted so far, which may hold other secrets.
    if (isLate()) return DOTS
  }
  return numbersMasked(shown, isLate) ?? DOTS
}

/** The same as `maskedNumbers`, in pieces that no number goes across; undefined where there are none, or it takes too long. */
function numbersMasked(text: string, isLate: () => boolean): string | undefined {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    let end = text.length
    if (end - at > PIECE) {
      // Not in the middle of a character.
      const from = at + PIECE + (/[\udc00-\udfff]/.test(text.charAt(at + PIECE)) ? 1 : 0)
      // A number, or a UUID, has at most two other characters in a row.
      const gap = text.slice(from, from + PIECE).search(/[^\p{Nd}a-f-]{3}/u)
      if (gap < 0) return undefined
      end = from + gap + 1
    }
    if (isLate()) return undefined
    pieces.push(maskedNumbers(text.slice(at, end)))
    at = end
  }
  return pieces.join('')
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
