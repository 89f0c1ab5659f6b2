import { filter } from '../filter.ts'
import { char, count, text } from '../params.ts'
import { textOf } from '../value.ts'
import { blank, cut, lengthOf } from './characters.ts'

/** `reveal_last: n, char='X'` (rule E-03). */
export const revealLast = filter('reveal_last', [count('n'), char('char', 'X')], (n, mask) => (value) => {
  const whole = textOf(value)
  const length = lengthOf(whole)
  if (length <= n) return whole
  const [head, tail] = cut(whole, length - n)
  return blank(head, mask, '-') + tail
})

/** `reveal: first=0, last=0, char='X', keep=''` (rule E-04). */
export const reveal = filter(
  'reveal',
  [count('first', 0), count('last', 0), char('char', 'X'), text('keep', '')],
  (first, last, mask, keep) => (value) => {
    const whole = textOf(value)
    const length = lengthOf(whole)
    if (length <= first + last) return blank(whole, mask, '')
    const [head, rest] = cut(whole, first)
    const [middle, tail] = cut(rest, length - first - last)
    const masked = head + blank(middle, mask, keep) + tail
    // SECURITY: a mask that hides nothing hides everything instead.
    return masked === whole ? blank(whole, mask, '') : masked
  },
)

/** `last4` (rule E-02). */
export const last4 = filter('last4', [], () => (value) => {
  const whole = textOf(value)
  return cut(whole, Math.max(0, lengthOf(whole) - 4))[1]
})
