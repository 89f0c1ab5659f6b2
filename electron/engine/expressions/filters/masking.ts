import { cut, lengthOf } from '../../../../shared/characters.ts'
import { filter } from '../filter.ts'
import { char, count, text } from '../params.ts'
import { textOf } from '../value.ts'
import { blank, masker } from './characters.ts'

const weight = 0.5
const hide = masker('-')

/** `reveal_last: n, char='X'` (rule E-03). */
export const revealLast = filter(
  'reveal_last',
  [count('n'), char('char', 'X')],
  (n, mask) => (value) => {
    const whole = textOf(value)
    const length = lengthOf(whole)
    if (length <= n) return whole
    const [head, tail] = cut(whole, length - n)
    return hide(head, mask) + tail
  },
  { weight },
)

/** `reveal: first=0, last=0, char='X', keep=''` (rule E-04). */
export const reveal = filter(
  'reveal',
  [count('first', 0), count('last', 0), char('char', 'X'), text('keep', '')],
  (first, last, mask, keep) => {
    const hide = masker(keep)
    return (value) => {
      const whole = textOf(value)
      const length = lengthOf(whole)
      if (length <= first + last) return blank(whole, mask)
      const [head, rest] = cut(whole, first)
      const [middle, tail] = cut(rest, length - first - last)
      const masked = head + hide(middle, mask) + tail
      // SECURITY: a mask that hides nothing hides everything instead.
      return masked === whole ? blank(whole, mask) : masked
    }
  },
  { weight },
)

/** `last4` (rule E-02). */
export const last4 = filter('last4', [], () => (value) => {
  const whole = textOf(value)
  return cut(whole, Math.max(0, lengthOf(whole) - 4))[1]
})
