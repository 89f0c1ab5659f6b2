import { defineFilter } from '../filter.ts'
import { defineCharParam, defineFlagParam, defineTextParam } from '../params.ts'
import { findHiddenRange, getBinLength, MAX_CARD_LENGTH, readCardNumber } from './card-number.ts'
import { createMasker, maskAll } from './characters.ts'

/**
 * `card_mask: bin='false', last4='false', char='X', keep=''` (rule E-05). Masks a card number, except for the BIN
 * and the last four digits if those flags are true, and the characters in `keep`.
 */
export const cardMask = defineFilter(
  'card_mask',
  [
    defineFlagParam('bin', false),
    defineFlagParam('last4', false),
    defineCharParam('char', 'X'),
    defineTextParam('keep', ''),
  ],
  (bin, last4, mask, keep) => {
    const hide = createMasker(keep)
    return (value) => {
      const number = readCardNumber(value)
      const { start, end } = findHiddenRange(number, bin, last4)
      const masked = number.slice(0, start) + hide(number.slice(start, end), mask) + number.slice(end)
      // SECURITY: if the mask hid nothing, everything is masked.
      return masked === number ? maskAll(number, mask) : masked
    }
  },
)

/** `card_bin: separator=''` (rule E-05). Returns the first 6 or 8 digits; `separator` has no effect. */
export const cardBin = defineFilter(
  'card_bin',
  [defineTextParam('separator', '')],
  (_separator) => (value) => {
    const digits = readCardNumber(value).slice(0, MAX_CARD_LENGTH).replace(/\D/g, '')
    return digits.slice(0, getBinLength(digits.length))
  },
)
