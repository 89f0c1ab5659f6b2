import { lengthOf } from '../../../../shared/characters.ts'
import { invalid } from '../../../../shared/errors.ts'
import { type Filter, filter } from '../filter.ts'
import { char, count } from '../params.ts'
import { textOf } from '../value.ts'

type Place = (text: string, padding: string) => string

/** `pad_left: width, char` (rule E-02). */
export const padLeft = padding('pad_left', (text, padding) => padding + text)

/** `pad_right: width, char` (rule E-02). */
export const padRight = padding('pad_right', (text, padding) => text + padding)

function padding(name: string, place: Place): Filter {
  return filter(name, [count('width'), char('char')], (width, pad) => {
    if (width > 1_000) throw invalid('', `must give the filter ${name} a width of at most 1,000`)
    return (value) => {
      const text = textOf(value)
      return place(text, pad.repeat(Math.max(0, width - lengthOf(text))))
    }
  })
}
