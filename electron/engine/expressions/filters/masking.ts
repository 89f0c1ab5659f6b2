import { countCodePoints, splitCodePoints } from '../../../../shared/characters.ts'
import { defineFilter } from '../filter.ts'
import { defineCharParam, defineCountParam, defineTextParam } from '../params.ts'
import { formatValue } from '../value.ts'
import { createMasker, maskAll } from './characters.ts'

const WEIGHT = 0.5
const hide = createMasker('-')

/** `reveal_last: n, char='X'` (rule E-03). Masks everything but the last `n` characters and dashes. */
export const revealLast = defineFilter(
  'reveal_last',
  [defineCountParam('n'), defineCharParam('char', 'X')],
  (n, mask) => (value) => {
    const text = formatValue(value)
    const length = countCodePoints(text)
    if (length <= n) return text
    const [head, tail] = splitCodePoints(text, length - n)
    return hide(head, mask) + tail
  },
  { weight: WEIGHT },
)

/**
 * `reveal: first=0, last=0, char='X', keep=''` (rule E-04). Masks everything but the `first` and `last` characters
 * and those in `keep`. A value that these would reveal completely is masked completely.
 */
export const reveal = defineFilter(
  'reveal',
  [
    defineCountParam('first', 0),
    defineCountParam('last', 0),
    defineCharParam('char', 'X'),
    defineTextParam('keep', ''),
  ],
  (first, last, mask, keep) => {
    const hide = createMasker(keep)
    return (value) => {
      const text = formatValue(value)
      const length = countCodePoints(text)
      if (length <= first + last) return maskAll(text, mask)
      const [head, rest] = splitCodePoints(text, first)
      const [middle, tail] = splitCodePoints(rest, length - first - last)
      const masked = head + hide(middle, mask) + tail
      // SECURITY: if the mask hid nothing, everything is masked.
      return masked === text ? maskAll(text, mask) : masked
    }
  },
  { weight: WEIGHT },
)

/** `last4` (rule E-02). Returns the last four characters. */
export const last4 = defineFilter('last4', [], () => (value) => {
  const text = formatValue(value)
  return splitCodePoints(text, Math.max(0, countCodePoints(text) - 4))[1]
})
