import { redactKeys } from '../../../shared/key-hint.ts'
import { isLuhnValid } from '../../../shared/luhn.ts'
import type { Keyring } from '../crypto/keyring.ts'

const MAX_ID_LENGTH = 400
/** How many digits at the end of a number stay visible. */
const VISIBLE_DIGITS = 4

const UUID_TEXT = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const UUID = 36
const uuid = new RegExp(`^${UUID_TEXT}$`)
/** Matches a string with too few digits in a row to contain a long number, however the digits are written. */
const fewDigits = /^(?!.*(?:\p{Nd}\P{Nd}{0,2}){12})/su
/** The length, in characters, from which searching for a number is as fast as testing with `fewDigits`. */
const LONG = 1_000
const printable = /^[\x21-\x7e]{1,400}$/
/** Characters that people write between the digits of a number. */
const BETWEEN_DIGITS = '[^\\p{L}\\p{Nd}]'
/**
 * Twelve digits in a row or with one character after each, a card number in its usual groups, or thirteen or more
 * digits in other groups. A UUID may contain any of these, so it is matched first.
 */
const inDigits = [
  '\\p{Nd}{12,}',
  '(?:\\p{Nd}\\P{Nd}){11,}\\p{Nd}',
  `\\p{Nd}{4}(?:${BETWEEN_DIGITS}\\p{Nd}{4}){3}`,
  `\\p{Nd}{4}${BETWEEN_DIGITS}\\p{Nd}{6}${BETWEEN_DIGITS}\\p{Nd}{5}`,
  `(?<grouped>\\p{Nd}(?:${BETWEEN_DIGITS}{0,2}\\p{Nd}){12,})`,
]
/** The lookahead rejects positions where no number can begin at once: the text may be a megabyte long. */
const numbers = new RegExp(`${UUID_TEXT}|(?=\\p{Nd})(?:${inDigits.join('|')})`, 'gu')
/** Characters that could garble the log for its reader: control characters, line ends, bidirectional marks. */
const disturbing = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

/**
 * Returns an id in the form that the log stores and looks up (rule O-05): at most 400 characters, without a key, a
 * possible card number, or characters that garble the log. An altered id ends in `#` and a keyed digest, so that
 * two ids never share records; no token id contains `#`.
 */
export function toLogId(id: string, keyring: Keyring): string {
  // SECURITY: callers may put card numbers and keys into paths, and other applications read the log. A UUID
  // reveals nothing.
  if (uuid.test(id) || (printable.test(id) && fewDigits.test(id) && redactKeys(id) === id)) return id
  // Before masking, truncates the id to more than the final length, so that every number is still complete when it is
  // masked.
  const maskedId = maskText(id.slice(0, 4 * MAX_ID_LENGTH).toWellFormed())
  const characters = Array.from(maskedId)
  if (maskedId === id && characters.length <= MAX_ID_LENGTH) return id
  const digest = keyring.computeLogIdDigest(id).toString('base64url')
  const visibleStart =
    characters.length > MAX_ID_LENGTH - 9 ? characters.slice(0, MAX_ID_LENGTH - 9).join('') : maskedId
  return `${visibleStart}#${digest}`
}

/** Masks keys and all but the last four digits of each long number, and replaces characters that garble the log. */
export function maskText(text: string): string {
  return maskNumbers(redactKeys(text.replace(disturbing, '\ufffd')))
}

/** Masks all but the last four digits of each long number in a string. */
export function maskNumbers(text: string): string {
  if (text.length < LONG && fewDigits.test(text)) return text
  return text.replace(numbers, (run, ...rest) => {
    if (run.length === UUID && uuid.test(run)) return run
    const { grouped } = rest.at(-1) as { grouped?: string }
    // Dates with times, and large counts, can have as many digits, so grouped digits are masked only if they could be
    // a card number.
    if (grouped !== undefined && (date.test(grouped) || !canBeCard(grouped))) return run
    const end = findVisibleStart(run)
    const hidden = run.slice(0, end)
    return (/^\d*$/.test(hidden) ? 'X'.repeat(end) : hidden.replace(/\p{Nd}/gu, 'X')) + run.slice(end)
  })
}

/** Finds the first visible digit of a number. Scans from the end, because a number may be a megabyte long. */
function findVisibleStart(run: string): number {
  let at = run.length
  for (let visibleDigits = 0; visibleDigits < VISIBLE_DIGITS && at > 0; ) {
    const unit = run.charCodeAt(--at)
    if (unit >= 0xdc00 && unit <= 0xdfff) at--
    if (unit > 0x7f ? /^\p{Nd}/u.test(run.slice(at, at + 2)) : unit >= 0x30 && unit <= 0x39) visibleDigits++
  }
  return at
}

const date = /^(?:19|20)\d\d-(?:0\d|1[0-2])-[0-3]\d/
const LENGTHS = [13, 14, 15, 16, 17, 18, 19]

/** Whether a string contains 13 to 19 digits in a row that pass the Luhn check, ignoring what separates the digits. */
function canBeCard(text: string): boolean {
  const digits = text.normalize('NFKC').replace(/\D/g, '')
  return Array.from(digits).some(
    (first, at) =>
      /[2-6]/.test(first) &&
      LENGTHS.some((length) => at + length <= digits.length && isLuhnValid(digits.slice(at, at + length))),
  )
}
