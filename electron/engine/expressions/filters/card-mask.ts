import { filter } from '../filter.ts'
import { char, flag, text } from '../params.ts'
import { binLength, cardNumber, hiddenRange, MAX_CARD } from './card-number.ts'
import { blank, masker } from './characters.ts'

/** `card_mask: bin='false', last4='false', char='X', keep=''` (rule E-05). */
export const cardMask = filter(
  'card_mask',
  [flag('bin', false), flag('last4', false), char('char', 'X'), text('keep', '')],
  (bin, last4, mask, keep) => {
    const hide = masker(keep)
    return (value) => {
      const number = cardNumber(value)
      const { start, end } = hiddenRange(number, bin, last4)
      const masked = number.slice(0, start) + hide(number.slice(start, end), mask) + number.slice(end)
      // SECURITY: a mask that hides nothing hides everything instead.
      return masked === number ? blank(number, mask) : masked
    }
  },
)

/** `card_bin: separator=''` (rule E-05): the digits only, without separators. */
export const cardBin = filter('card_bin', [text('separator', '')], (_separator) => (value) => {
  const digits = cardNumber(value).slice(0, MAX_CARD).replace(/\D/g, '')
  return digits.slice(0, binLength(digits.length))
})
