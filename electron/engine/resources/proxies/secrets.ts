import { isObject, type Json } from '../../../../shared/json.ts'
import { formatValue } from '../../expressions/value.ts'
import { maskNumbers } from '../../pipeline/log-id.ts'
import { readProcessorTime } from './processor-time.ts'

/** The text that replaces a secret value. */
export const REDACTED = '••••••••'

/** The minimum length of a secret. A shorter value, such as a month, would be redacted everywhere. */
const MIN_SECRET_LENGTH = 3

/**
 * The maximum number of characters to search. Each secret is searched for in the whole text, so this limits the
 * length of the text times the number of secrets (rule R-03).
 */
const MAX_SCANNED_CHARACTERS = 10_000_000
/** The maximum processor time of redaction, in ms: a crafted text can take a hundred times longer (case X-65). */
const MAX_REDACTION_MS = 15
/** The number of characters that are searched for card numbers at a time. */
const CHUNK_LENGTH = 32_768

/** Appends strings to a list: a token can have too many to spread them as arguments. */
export function appendAll(list: string[], more: readonly string[]): void {
  for (const text of more) list.push(text)
}

/**
 * The minimum length of a part of a token's data that is redacted even if no expression uses it. A shorter part, such
 * as a month, is redacted only if an expression uses it.
 */
const MIN_LONG_SECRET_LENGTH = 6

/** Finds the strings in a value to redact even if no expression uses them (rule G-07). */
export function findLongSecrets(value: Json): string[] {
  return findSecrets(value).filter((text) => text.length >= MIN_LONG_SECRET_LENGTH)
}

/** Lists the strings to redact in a value: all its strings and numbers. */
export function findSecrets(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(findSecrets)
  if (isObject(value)) return Object.values(value).flatMap((each) => findSecrets(each ?? null))
  const text = formatValue(value)
  return value === null || typeof value === 'boolean' || text === '' ? [] : [text]
}

/**
 * Redacts every secret in a string, including forms escaped as in JSON or encoded as in a form, and masks the digits of
 * possible card numbers (rule G-07). If there are too many secrets for the length of the string, all of it is redacted.
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
  // Redacts the longest first, because one secret may contain another.
  for (const form of [...forms].sort((a, b) => b.length - a.length)) {
    redacted = redacted.split(form).join(REDACTED)
    // SECURITY: on timeout, redact everything, because the partial result may contain other secrets.
    if (isOverTime()) return REDACTED
  }
  return maskNumbersInChunks(redacted, isOverTime) ?? REDACTED
}

/**
 * Like `maskNumbers`, but in chunks that end between numbers. Returns undefined if there is no gap between numbers
 * where a chunk could end, or if masking takes too long.
 */
function maskNumbersInChunks(text: string, isOverTime: () => boolean): string | undefined {
  const chunks: string[] = []
  for (let at = 0; at < text.length; ) {
    let end = text.length
    if (end - at > CHUNK_LENGTH) {
      // A surrogate pair must not be split.
      const from = at + CHUNK_LENGTH + (/[\udc00-\udfff]/.test(text.charAt(at + CHUNK_LENGTH)) ? 1 : 0)
      // Three characters in a row that are no digit, dash or letter from a to f never occur inside a number or a UUID,
      // so a chunk can end there.
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
