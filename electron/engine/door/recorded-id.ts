import type { Keyring } from '../crypto/keyring.ts'

const MOST = 400
/** How many digits at the end of a run stay readable. */
const SHOWN = 4

const uuidText = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const uuid = new RegExp(`^${uuidText}$`)
/** An id that needs no closer look: printable, short, without four digits in a row. */
const harmless = /^(?!.*\d{4})[\x21-\x7e]{1,400}$/
/** Twelve digits in a row, or a card number in its usual groups; but first a UUID, which may contain either. */
const numbers = new RegExp(
  `${uuidText}|\\p{Nd}{12,}|\\p{Nd}{4}(?:[ -]\\p{Nd}{4}){3}|\\p{Nd}{4}[ -]\\p{Nd}{6}[ -]\\p{Nd}{5}`,
  'gu',
)
/** What could garble the log for its reader: control characters, line ends, bidirectional marks. */
const disturbing = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

/**
 * An id in the form the log stores and looks up (rule O-05): at most 400 characters, none that garbles the log, and
 * no number that may be a card's. A changed id ends in `#` and a keyed digest, which no token id contains, so that two
 * ids never share records.
 */
export function recordedId(id: string, keyring: Keyring): string {
  // SECURITY: callers put card numbers into paths, and others read the log. A UUID reveals nothing.
  if (uuid.test(id) || harmless.test(id)) return id
  const shown = masked(id.toWellFormed().replace(disturbing, '\ufffd'))
  const characters = Array.from(shown)
  if (shown === id && characters.length <= MOST) return id
  const digest = keyring.indexDigest(`log id\0${id}`).subarray(0, 6).toString('base64url')
  const kept = characters.length > MOST - 9 ? characters.slice(0, MOST - 9).join('') : shown
  return `${kept}#${digest}`
}

/** A text in which only the last four digits of each long number are left. */
export function masked(text: string): string {
  if (!/\p{Nd}{4}/u.test(text)) return text
  return text.replace(numbers, (run) => {
    if (uuid.test(run)) return run
    const digits = run.match(/\p{Nd}/gu)?.length ?? 0
    let at = 0
    return run.replace(/\p{Nd}/gu, (digit) => (at++ < digits - SHOWN ? 'X' : digit))
  })
}
