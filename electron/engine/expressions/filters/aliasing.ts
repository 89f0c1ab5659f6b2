import { randomFillSync } from 'node:crypto'
import { cut, lengthOf } from '../../../../shared/characters.ts'
import { invalid } from '../../../../shared/errors.ts'
import { passesLuhn } from '../../../../shared/luhn.ts'
import { MAX_STEP, tooMuch } from '../bounds.ts'
import { filter } from '../filter.ts'
import { count, flag } from '../params.ts'
import { textOf, type Value } from '../value.ts'
import { cardNumber, hiddenRange, MAX_CARD } from './card-number.ts'
import { mapCharacters } from './characters.ts'

const DIGITS = '0123456789'
const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()

const weight = 4

/**
 * `alias_card: bin='false', last4='false'` (rule E-06). The alias never passes the Luhn check, so it cannot be a real
 * card number.
 */
export const aliasCard = filter(
  'alias_card',
  [flag('bin', false), flag('last4', false)],
  (bin, last4) => (value) => {
    const number = cardNumber(value)
    const { start, end } = hiddenRange(number, bin, last4)
    if (number.length > MAX_CARD || !/^[\d -]+$/.test(number) || start >= end) {
      throw invalid('', 'must give alias_card a card number longer than what it reveals')
    }
    const hidden = number.slice(start, end)
    for (;;) {
      const alias = number.slice(0, start) + mapCharacters(hidden, sameKind) + number.slice(end)
      if (!passesLuhn(alias.replace(/\D/g, ''))) return alias
    }
  },
  { weight },
)

/** `alias_preserve_format: first=0, last=0` (rule E-06). */
export const aliasPreserveFormat = filter(
  'alias_preserve_format',
  [count('first', 0), count('last', 0)],
  (first, last) => (value) => aliasBetween(value, first, last, sameKind),
  { weight },
)

/** `alias_preserve_length: first=0, last=0` (rule E-06). */
export const aliasPreserveLength = filter(
  'alias_preserve_length',
  [count('first', 0), count('last', 0)],
  (first, last) => (value) => aliasBetween(value, first, last, () => oneOf(DIGITS + UPPER + LOWER)),
  { weight },
)

function aliasBetween(
  value: Value,
  first: number,
  last: number,
  replace: (character: string) => string,
): string {
  const whole = textOf(value)
  const length = lengthOf(whole)
  if (length > MAX_STEP) throw tooMuch()
  // SECURITY: a value that `first` and `last` would reveal entirely is replaced entirely.
  if (length <= first + last) return mapCharacters(whole, replace)
  const [head, rest] = cut(whole, first)
  const [middle, tail] = cut(rest, length - first - last)
  return head + mapCharacters(middle, replace) + tail
}

/** A random digit for a digit, a random letter of the same case for a letter; everything else stays. */
function sameKind(character: string): string {
  // Nearly all characters are these.
  if (character >= '0' && character <= '9') return oneOf(DIGITS)
  if (character >= 'a' && character <= 'z') return oneOf(LOWER)
  if (character >= 'A' && character <= 'Z') return oneOf(UPPER)
  if (/\p{Nd}/u.test(character)) return oneOf(DIGITS)
  if (/\p{Lu}/u.test(character)) return oneOf(UPPER)
  return /\p{L}/u.test(character) ? oneOf(LOWER) : character
}

const pool = Buffer.alloc(4096)
let used = pool.length

function oneOf(characters: string): string {
  // SECURITY: the operating system's randomness, each byte used once; those that would favour the first characters
  // are skipped.
  const fair = 256 - (256 % characters.length)
  for (;;) {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const byte = pool.readUInt8(used)
    pool[used++] = 0
    if (byte < fair) return characters.charAt(byte % characters.length)
  }
}
