import type { Keyring } from '../crypto/keyring.ts'

const MOST = 400
/** How many digits at the end of a number stay readable. */
const SHOWN = 4

const uuidText = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const uuid = new RegExp(`^${uuidText}$`)
/** The fast path: a printable, short id without four digits in a row. */
const harmless = /^(?!.*\d{4})[\x21-\x7e]{1,400}$/
/** Twelve digits in a row, or a card number in its usual groups. A UUID may contain either, so it is matched first. */
const numbers = new RegExp(
  `${uuidText}|\\p{Nd}{12,}|\\p{Nd}{4}(?:[ -]\\p{Nd}{4}){3}|\\p{Nd}{4}[ -]\\p{Nd}{6}[ -]\\p{Nd}{5}`,
  'gu',
)
/** What could garble the log for its reader: control characters, line ends, bidirectional marks. */
const disturbing = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

/**
 * Returns an id in the form the log stores and looks up (rule O-05): at most 400 characters, none that garbles the log,
 * and no possible card number. An altered id ends in `#`, which no token id contains, and a keyed digest, so that two
 * ids never share records.
 */
export function recordedId(id: string, keyring: Keyring): string {
  // SECURITY: callers put card numbers into paths, and other applications read the log. A UUID reveals nothing.
  if (uuid.test(id) || harmless.test(id)) return id
  const shown = masked(id.toWellFormed().replace(disturbing, '\ufffd'))
  const characters = Array.from(shown)
  if (shown === id && characters.length <= MOST) return id
  const digest = keyring.logIdDigest(id).toString('base64url')
  const kept = characters.length > MOST - 9 ? characters.slice(0, MOST - 9).join('') : shown
  return `${kept}#${digest}`
}

/** Masks all but the last four digits of each long number in a text. */
export function masked(text: string): string {
  if (!/\p{Nd}{4}/u.test(text)) return text
  return text.replace(numbers, (run) => {
    if (uuid.test(run)) return run
    const digits = run.match(/\p{Nd}/gu)?.length ?? 0
    let at = 0
    return run.replace(/\p{Nd}/gu, (digit) => (at++ < digits - SHOWN ? 'X' : digit))
  })
}
