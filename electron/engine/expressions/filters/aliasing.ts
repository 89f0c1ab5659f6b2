import { randomFillSync } from 'node:crypto'
import { countCodePoints, splitCodePoints } from '../../../../shared/characters.ts'
import { createInvalidError } from '../../../../shared/errors.ts'
import { isLuhnValid } from '../../../../shared/luhn.ts'
import { createBoundsError, MAX_STEP } from '../bounds.ts'
import { defineFilter } from '../filter.ts'
import { defineCountParam, defineFlagParam } from '../params.ts'
import { formatValue, type Value } from '../value.ts'
import { findHiddenRange, MAX_CARD_LENGTH, readCardNumber } from './card-number.ts'
import { mapCharacters } from './characters.ts'

const DIGITS = '0123456789'
const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()

const WEIGHT = 4

/** `alias_card: bin='false', last4='false'` (rule E-06). The alias never passes the Luhn check of a real number. */
export const aliasCard = defineFilter(
  'alias_card',
  [defineFlagParam('bin', false), defineFlagParam('last4', false)],
  (bin, last4) => (value) => {
    const number = readCardNumber(value)
    const { start, end } = findHiddenRange(number, bin, last4)
    if (number.length > MAX_CARD_LENGTH || !/^[\d -]+$/.test(number) || start >= end) {
      throw createInvalidError(
        '',
        'must pass alias_card a card number that has more digits than bin and last4 reveal',
      )
    }
    const hidden = number.slice(start, end)
    for (;;) {
      const alias = number.slice(0, start) + mapCharacters(hidden, randomizeCharacter) + number.slice(end)
      if (!isLuhnValid(alias.replace(/\D/g, ''))) return alias
    }
  },
  { weight: WEIGHT },
)

/**
 * `alias_preserve_format: first=0, last=0` (rule E-06). Replaces digits with random digits and letters with random
 * letters, except for the `first` and `last` characters.
 */
export const aliasPreserveFormat = defineFilter(
  'alias_preserve_format',
  [defineCountParam('first', 0), defineCountParam('last', 0)],
  (first, last) => (value) => aliasMiddle(value, first, last, randomizeCharacter),
  { weight: WEIGHT },
)

/**
 * `alias_preserve_length: first=0, last=0` (rule E-06). Replaces every character with a random letter or digit,
 * except for the `first` and `last` characters.
 */
export const aliasPreserveLength = defineFilter(
  'alias_preserve_length',
  [defineCountParam('first', 0), defineCountParam('last', 0)],
  (first, last) => (value) => aliasMiddle(value, first, last, () => pickRandom(DIGITS + UPPER + LOWER)),
  { weight: WEIGHT },
)

function aliasMiddle(
  value: Value,
  first: number,
  last: number,
  replace: (character: string) => string,
): string {
  const text = formatValue(value)
  const length = countCodePoints(text)
  if (length > MAX_STEP) throw createBoundsError()
  // SECURITY: if `first` and `last` would together reveal the whole value, all of it is replaced.
  if (length <= first + last) return mapCharacters(text, replace)
  const [head, rest] = splitCodePoints(text, first)
  const [middle, tail] = splitCodePoints(rest, length - first - last)
  return head + mapCharacters(middle, replace) + tail
}

/** Replaces a digit with a random digit, and a letter with a random letter of the same case; keeps everything else. */
function randomizeCharacter(character: string): string {
  // Fast path for ASCII, which is nearly all characters.
  if (character >= '0' && character <= '9') return pickRandom(DIGITS)
  if (character >= 'a' && character <= 'z') return pickRandom(LOWER)
  if (character >= 'A' && character <= 'Z') return pickRandom(UPPER)
  if (/\p{Nd}/u.test(character)) return pickRandom(DIGITS)
  if (/\p{Lu}/u.test(character)) return pickRandom(UPPER)
  return /\p{L}/u.test(character) ? pickRandom(LOWER) : character
}

const pool = Buffer.alloc(4096)
let used = pool.length

function pickRandom(characters: string): string {
  // SECURITY: the random bytes come from the operating system, and each is used once. Bytes greater than or equal to
  // `fair` are skipped, because they would make the first of the characters more likely.
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
