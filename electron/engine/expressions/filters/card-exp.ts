import { invalid } from '../../../../shared/errors.ts'
import { computable, isObject } from '../../../../shared/json.ts'
import { filter } from '../filter.ts'
import { text } from '../params.ts'
import type { Value } from '../value.ts'

type Write = (month: string, year: string) => string

const formats: ReadonlyMap<string, Write> = new Map<string, Write>([
  ['MM', (month) => month],
  ['MMYY', (month, year) => month + year.slice(2)],
  ['YYYY', (_month, year) => year],
  ['YYYY-MM', (month, year) => `${year}-${month}`],
  ['MM/YY', (month, year) => `${month}/${year.slice(2)}`],
  ['MM/YYYY', (month, year) => `${month}/${year}`],
  ['MM_YYYY', (month, year) => `${month}_${year}`],
  ['MM-YYYY', (month, year) => `${month}-${year}`],
  ['YYYY/MM', (month, year) => `${year}/${month}`],
])

/** `card_exp: 'MM/YY'` (rule E-05) of a card object; null if it has no expiration. */
export const cardExp = filter('card_exp', [text('format')], (format) => {
  const write = formats.get(format)
  if (!write) throw invalid('', `must give card_exp one of ${[...formats.keys()].join(', ')}`)
  return (value) => {
    const month = digits(value, 'expiration_month', 2)
    const year = digits(value, 'expiration_year', 4)
    return month && year ? write(month, year) : null
  }
})

function digits(value: Value, name: string, width: number): string | undefined {
  const member = isObject(value) ? computable(value[name]) : undefined
  if (typeof member !== 'number' && typeof member !== 'string') return undefined
  return /^\d{1,4}$/.test(String(member)) ? String(member).padStart(width, '0') : undefined
}
