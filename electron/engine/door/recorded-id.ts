import { withoutKeys } from '../../../shared/key-hint.ts'
import { passesLuhn } from '../../../shared/luhn.ts'
import type { Keyring } from '../crypto/keyring.ts'

const MOST = 400
/** How many digits at the end of a number stay readable. */
const SHOWN = 4

const uuidText = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const UUID = 36
const uuid = new RegExp(`^${uuidText}$`)
/** A text too short in digits to hold a number, however they are written. */
const fewDigits = /^(?!.*(?:\p{Nd}\P{Nd}{0,2}){12})/su
/** In a longer one, looking for a number itself takes no longer. */
const LONG = 1_000
const printable = /^[\x21-\x7e]{1,400}$/
/** What may stand between the digits of a number as people write it. */
const between = '[^\\p{L}\\p{Nd}]'
/**
 * Twelve digits in a row or with one character after each, a card number in its usual groups, or thirteen and more
 * digits in other groups. A UUID may contain any of these, so it is matched first.
 */
const inDigits = [
  '\\p{Nd}{12,}',
  '(?:\\p{Nd}\\P{Nd}){11,}\\p{Nd}',
  `\\p{Nd}{4}(?:${between}\\p{Nd}{4}){3}`,
  `\\p{Nd}{4}${between}\\p{Nd}{6}${between}\\p{Nd}{5}`,
  `(?<grouped>\\p{Nd}(?:${between}{0,2}\\p{Nd}){12,})`,
]
/** What cannot begin one is passed over in one step, because the text may be a megabyte long (case X-65). */
const numbers = new RegExp(`${uuidText}|(?=\\p{Nd})(?:${inDigits.join('|')})`, 'gu')
/** What could garble the log for its reader: control characters, line ends, bidirectional marks. */
const disturbing = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

/**
 * Returns an id in the form the log stores and looks up (rule O-05): at most 400 characters, none that garbles the log,
 * and no key and no possible card number. An altered id ends in `#`, which no token id contains, and a keyed digest, so that two
 * ids never share records.
 */
export function recordedId(id: string, keyring: Keyring): string {
  // SECURITY: callers put card numbers and keys into paths, and other applications read the log. A UUID reveals nothing.
  if (uuid.test(id) || (printable.test(id) && fewDigits.test(id) && withoutKeys(id) === id)) return id
  // Cut generously before masking, so that no number is cut in two where it would be kept.
  const shown = masked(id.slice(0, 4 * MOST).toWellFormed())
  const characters = Array.from(shown)
  if (shown === id && characters.length <= MOST) return id
  const digest = keyring.logIdDigest(id).toString('base64url')
  const kept = characters.length > MOST - 9 ? characters.slice(0, MOST - 9).join('') : shown
  return `${kept}#${digest}`
}

/** Masks keys and all but the last four digits of each long number in a text, and replaces what would garble the log. */
export function masked(given: string): string {
  return maskedNumbers(withoutKeys(given.replace(disturbing, '\ufffd')))
}

/** Masks all but the last four digits of each long number in a text. */
export function maskedNumbers(text: string): string {
  if (text.length < LONG && fewDigits.test(text)) return text
  return text.replace(numbers, (run, ...rest) => {
    if (run.length === UUID && uuid.test(run)) return run
    const { grouped } = rest.at(-1) as { grouped?: string }
    // A date with a time or a count has as many digits: in groups, only what could be a card number is masked.
    if (grouped !== undefined && (date.test(grouped) || !mayBeCard(grouped))) return run
    const end = startOfShown(run)
    const hidden = run.slice(0, end)
    return (/^\d*$/.test(hidden) ? 'X'.repeat(end) : hidden.replace(/\p{Nd}/gu, 'X')) + run.slice(end)
  })
}

/** Where the digits of a number begin that stay readable. Not by counting all of them: a number may be a megabyte long. */
function startOfShown(run: string): number {
  let at = run.length
  for (let shown = 0; shown < SHOWN && at > 0; ) {
    const unit = run.charCodeAt(--at)
    if (unit >= 0xdc00 && unit <= 0xdfff) at--
    if (unit > 0x7f ? /^\p{Nd}/u.test(run.slice(at, at + 2)) : unit >= 0x30 && unit <= 0x39) shown++
  }
  return at
}

const date = /^(?:19|20)\d\d-(?:0\d|1[0-2])-[0-3]\d/
const LENGTHS = [13, 14, 15, 16, 17, 18, 19]

/** Whether a card number begins at one of the digits of a text: 13 to 19 digits that pass the Luhn check. */
function mayBeCard(text: string): boolean {
  const digits = text.normalize('NFKC').replace(/\D/g, '')
  return Array.from(digits).some(
    (first, at) =>
      /[2-6]/.test(first) &&
      LENGTHS.some((length) => at + length <= digits.length && passesLuhn(digits.slice(at, at + length))),
  )
}
