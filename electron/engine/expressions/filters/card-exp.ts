import { createInvalidError } from '../../../../shared/errors.ts'
import { isObject, toComputable } from '../../../../shared/json.ts'
import { defineFilter } from '../filter.ts'
import { defineTextParam } from '../params.ts'
import type { Value } from '../value.ts'

type FormatExpiration = (month: string, year: string) => string

const formats: ReadonlyMap<string, FormatExpiration> = new Map<string, FormatExpiration>([
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

/** `card_exp: 'MM/YY'` (rule E-05). Formats the expiration date of a card object; null if the card has none. */
export const cardExp = defineFilter('card_exp', [defineTextParam('format')], (format) => {
  const write = formats.get(format)
  if (!write) throw createInvalidError('', `must pass card_exp one of ${[...formats.keys()].join(', ')}`)
  return (value) => {
    const month = readDigits(value, 'expiration_month', 2)
    const year = readDigits(value, 'expiration_year', 4)
    return month && year ? write(month, year) : null
  }
})

function readDigits(value: Value, name: string, width: number): string | undefined {
  const member = isObject(value) ? toComputable(value[name]) : undefined
  if (typeof member !== 'number' && typeof member !== 'string') return undefined
  return /^\d{1,4}$/.test(String(member)) ? String(member).padStart(width, '0') : undefined
}
