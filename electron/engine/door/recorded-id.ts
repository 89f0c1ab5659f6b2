import type { Keyring } from '../crypto/keyring.ts'

const MOST = 400
/** Digits that stay readable at the end of a run. */
const SHOWN = 4

const uuidText = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const uuid = new RegExp(`^${uuidText}$`)
/** Nothing here needs a closer look: printable, short, and no four digits in a row. */
const harmless = /^(?!.*\d{4})[\x21-\x7e]{1,400}$/
/** Twelve digits in a row, or a card number in its usual groups; before that, a UUID, which may have either. */
const numbers = new RegExp(
  `${uuidText}|\\p{Nd}{12,}|\\p{Nd}{4}(?:[ -]\\p{Nd}{4}){3}|\\p{Nd}{4}[ -]\\p{Nd}{6}[ -]\\p{Nd}{5}`,
  'gu',
)
/** What could disturb whoever reads the log: control characters, line ends, marks that turn text around. */
const disturbing = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

/**
 * An id as the log keeps it and is asked for it (rule O-05): at most 400 characters, none that disturbs, and no
 * number that may be a card's. An id that had to be changed ends in `#` and a keyed digest, which no id of a token
 * holds, so that two ids never share their records.
 */
export function recordedId(id: string, keyring: Keyring): string {
  // SECURITY: callers put card numbers into paths; the log is read by others. A UUID says nothing.
  if (uuid.test(id) || harmless.test(id)) return id
  const shown = masked(id.toWellFormed().replace(disturbing, '\ufffd'))
  const characters = Array.from(shown)
  if (shown === id && characters.length <= MOST) return id
  const digest = keyring.indexDigest(`log id\0${id}`).subarray(0, 6).toString('base64url')
  const kept = characters.length > MOST - 9 ? characters.slice(0, MOST - 9).join('') : shown
  return `${kept}#${digest}`
}

/** A text without long numbers: of each only the last four digits are left. */
export function masked(text: string): string {
  if (!/\p{Nd}{4}/u.test(text)) return text
  return text.replace(numbers, (run) => {
    if (uuid.test(run)) return run
    const digits = run.match(/\p{Nd}/gu)?.length ?? 0
    let at = 0
    return run.replace(/\p{Nd}/gu, (digit) => (at++ < digits - SHOWN ? 'X' : digit))
  })
}
