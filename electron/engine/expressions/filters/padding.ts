import { countCodePoints } from '../../../../shared/characters.ts'
import { createInvalidError } from '../../../../shared/errors.ts'
import { defineFilter, type ExpressionFilter } from '../filter.ts'
import { defineCharParam, defineCountParam } from '../params.ts'
import { formatValue } from '../value.ts'

type PadFunction = (text: string, padding: string) => string

/** `pad_left: width, char` (rule E-02). Repeats `char` before the value up to `width` characters, at most 1,000. */
export const padLeft = definePadFilter('pad_left', (text, padding) => padding + text)

/** `pad_right: width, char` (rule E-02). Repeats `char` after the value up to `width` characters, at most 1,000. */
export const padRight = definePadFilter('pad_right', (text, padding) => text + padding)

function definePadFilter(name: string, addPadding: PadFunction): ExpressionFilter {
  return defineFilter(name, [defineCountParam('width'), defineCharParam('char')], (width, pad) => {
    if (width > 1_000)
      throw createInvalidError('', `must pass a width of at most 1,000 characters to the filter ${name}`)
    return (value) => {
      const text = formatValue(value)
      return addPadding(text, pad.repeat(Math.max(0, width - countCodePoints(text))))
    }
  })
}
