import { isObject, type Json } from '../../../shared/json.ts'
import { formatValue } from '../expressions/value.ts'
import { maskNumbers } from '../pipeline/log-id.ts'
import { readProcessorTime } from './processor-time.ts'

/** What stands for a value that nobody shall read. */
export const REDACTED = '••••••••'

/** Shorter values, such as a month, say nothing by themselves, and would be dotted everywhere. */
const MIN_SECRET_LENGTH = 3

/** The most characters that are looked through for secrets: each secret is looked for in the whole text (rule R-03). */
const MAX_SCANNED_CHARACTERS = 10_000_000
/** How long that may take, in ms: a text made for it takes a hundred times as long as an ordinary one (case X-65). */
const MAX_REDACTION_MS = 15
/** Numbers are looked for in so many characters at once. */
const CHUNK_LENGTH = 32_768

/** Adds texts to a list. A spread of so many as a token may hold would be too many arguments. */
export function appendAll(list: string[], more: readonly string[]): void {
  for (const text of more) list.push(text)
}

/** Shorter parts of a token's data, such as a month, are hidden only where an expression takes them. */
const MIN_LONG_SECRET_LENGTH = 6

/** The texts in a value that must not be shown, whatever part of it an expression takes (rule G-07). */
export function findLongSecrets(value: Json): string[] {
  return findSecrets(value).filter((text) => text.length >= MIN_LONG_SECRET_LENGTH)
}

/** The texts in a value that must not be shown: every string and number. */
export function findSecrets(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(findSecrets)
  if (isObject(value)) return Object.values(value).flatMap((each) => findSecrets(each ?? null))
  const text = formatValue(value)
  return value === null || typeof value === 'boolean' || text === '' ? [] : [text]
}

/**
 * Returns a text with every secret replaced by dots, also where it is escaped as in JSON or encoded as in a form, and
 * with the digits of what may be a card number masked (rule G-07). Where so many secrets cannot be looked for in so long
 * a text, all of it is dots.
 */
export function redact(text: string, secrets: readonly string[]): string {
  const long = secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH)
  if (long.length * text.length > MAX_SCANNED_CHARACTERS) return REDACTED
  const forms = new Set(
    long.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeFormText(secret)]),
  )
  if (forms.size * text.length > MAX_SCANNED_CHARACTERS) return REDACTED
  let redacted = text
  const started = readProcessorTime()
  const isOverTime = () => readProcessorTime() - started > MAX_REDACTION_MS
  // The longest first: one secret may be part of another.
  for (const form of [...forms].sort((a, b) => b.length - a.length)) {
    redacted = redacted.split(form).join(REDACTED)
    // SECURITY: not what has been dotted so far, which may hold other secrets.
    if (isOverTime()) return REDACTED
  }
  return maskNumbersInChunks(redacted, isOverTime) ?? REDACTED
}

/** The same as `maskedNumbers`, in pieces that no number goes across; undefined where there are none, or it takes too long. */
function maskNumbersInChunks(text: string, isOverTime: () => boolean): string | undefined {
  const chunks: string[] = []
  for (let at = 0; at < text.length; ) {
    let end = text.length
    if (end - at > CHUNK_LENGTH) {
      // Not in the middle of a character.
      const from = at + CHUNK_LENGTH + (/[\udc00-\udfff]/.test(text.charAt(at + CHUNK_LENGTH)) ? 1 : 0)
      // A number, or a UUID, has at most two other characters in a row.
      const gap = text.slice(from, from + CHUNK_LENGTH).search(/[^\p{Nd}a-f-]{3}/u)
      if (gap < 0) return undefined
      end = from + gap + 1
    }
    if (isOverTime()) return undefined
    chunks.push(maskNumbers(text.slice(at, end)))
    at = end
  }
  return chunks.join('')
}

function encodeFormText(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
