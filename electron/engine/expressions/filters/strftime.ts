import { countCodePoints } from '../../../../shared/characters.ts'
import { createInvalidError } from '../../../../shared/errors.ts'

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

type FormatCode = {
  readonly width: number
  readonly pad: string
  readonly of: (date: Date) => string | number
}

function createNumberCode(width: number, of: (date: Date) => number, pad = '0'): FormatCode {
  return { width, pad, of }
}

function createNameCode(of: (date: Date) => string): FormatCode {
  return { width: 0, pad: ' ', of }
}

const toHour12 = (date: Date): number => date.getUTCHours() % 12 || 12
const getDayOfYear = (date: Date): number => {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1
}

/** The week of the year. Week 1 starts on the first weekday `first` (0 is Sunday); earlier days are in week 0. */
const countWeeks = (first: number) => (date: Date) =>
  Math.floor((getDayOfYear(date) + 6 - ((date.getUTCDay() - first + 7) % 7)) / 7)
/** Returns the Thursday of a date's week; the year of that Thursday is the ISO 8601 year of the week. */
const getThursday = (date: Date) => new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * 86_400_000)

const codes: ReadonlyMap<string, FormatCode> = new Map<string, FormatCode>([
  ['Y', createNumberCode(4, (date) => date.getUTCFullYear())],
  ['C', createNumberCode(2, (date) => Math.floor(date.getUTCFullYear() / 100))],
  ['y', createNumberCode(2, (date) => date.getUTCFullYear() % 100)],
  ['m', createNumberCode(2, (date) => date.getUTCMonth() + 1)],
  ['d', createNumberCode(2, (date) => date.getUTCDate())],
  ['e', createNumberCode(2, (date) => date.getUTCDate(), ' ')],
  ['j', createNumberCode(3, getDayOfYear)],
  ['U', createNumberCode(2, countWeeks(0))],
  ['W', createNumberCode(2, countWeeks(1))],
  ['V', createNumberCode(2, (date) => Math.ceil(getDayOfYear(getThursday(date)) / 7))],
  ['G', createNumberCode(4, (date) => getThursday(date).getUTCFullYear())],
  ['g', createNumberCode(2, (date) => getThursday(date).getUTCFullYear() % 100)],
  ['H', createNumberCode(2, (date) => date.getUTCHours())],
  ['k', createNumberCode(2, (date) => date.getUTCHours(), ' ')],
  ['I', createNumberCode(2, toHour12)],
  ['l', createNumberCode(2, toHour12, ' ')],
  ['M', createNumberCode(2, (date) => date.getUTCMinutes())],
  ['S', createNumberCode(2, (date) => date.getUTCSeconds())],
  ['L', createNumberCode(3, (date) => date.getUTCMilliseconds())],
  ['N', createNumberCode(9, (date) => date.getUTCMilliseconds() * 1_000_000)],
  ['s', createNumberCode(0, (date) => Math.floor(date.getTime() / 1000))],
  ['u', createNumberCode(0, (date) => date.getUTCDay() || 7)],
  ['w', createNumberCode(0, (date) => date.getUTCDay())],
  ['B', createNameCode((date) => MONTHS[date.getUTCMonth()] ?? '')],
  ['b', createNameCode((date) => (MONTHS[date.getUTCMonth()] ?? '').slice(0, 3))],
  ['h', createNameCode((date) => (MONTHS[date.getUTCMonth()] ?? '').slice(0, 3))],
  ['A', createNameCode((date) => DAYS[date.getUTCDay()] ?? '')],
  ['a', createNameCode((date) => (DAYS[date.getUTCDay()] ?? '').slice(0, 3))],
  ['p', createNameCode((date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'))],
  ['P', createNameCode((date) => (date.getUTCHours() < 12 ? 'am' : 'pm'))],
  ['Z', createNameCode(() => 'UTC')],
  ['z', createNameCode(() => '+0000')],
  ['n', createNameCode(() => '\n')],
  ['t', createNameCode(() => '\t')],
  ['%', createNameCode(() => '%')],
])

const shorthands: ReadonlyMap<string, string> = new Map([
  ['F', '%Y-%m-%d'],
  ['T', '%H:%M:%S'],
  ['X', '%H:%M:%S'],
  ['R', '%H:%M'],
  ['D', '%m/%d/%y'],
  ['x', '%m/%d/%y'],
  ['r', '%I:%M:%S %p'],
  ['c', '%a %b %e %H:%M:%S %Y'],
  ['v', '%e-%^b-%Y'],
])

/**
 * Compiles a strftime format to a function that formats a date in UTC and in English. Supports the flags `-`, `_`,
 * `0` and `^`, and widths; an unknown code is left unchanged. Throws `invalid` for a format of more than 200
 * characters or a width of more than 30.
 */
export function compileFormat(format: string): (date: Date) => string {
  const expanded = format.replace(/%([%FTXRDxrcv])/g, (all, code) => shorthands.get(code) ?? all)
  // SECURITY: without these limits, `%999999999d` or a long format would exhaust the memory (case X-21).
  if (countCodePoints(format) > 200)
    throw createInvalidError('', 'must pass a format of at most 200 characters to the filter date')
  const parts = expanded
    .split(/(%:?[-_0^]{0,3}\d*[A-Za-z%])/)
    .map((part, at) => (at % 2 === 0 ? () => part : compileDirective(part)))
  return (date) => parts.map((part) => part(date)).join('')
}

function compileDirective(directive: string): (date: Date) => string {
  const [, colon, flags = '', width = '', letter = ''] = /^%(:?)([-_0^]*)(\d*)(.)$/.exec(directive) ?? []
  const code = codes.get(letter)
  if (!code) return () => directive
  if (Number(width) > 30)
    throw createInvalidError('', 'must pass widths of at most 30 characters to the filter date')
  if (colon && letter === 'z') return () => '+00:00'
  const pad = flags.includes('_') ? ' ' : flags.includes('0') ? '0' : code.pad
  const minWidth = flags.includes('-') ? 0 : Number(width) || code.width
  return (date) => {
    const text = String(code.of(date)).padStart(minWidth, pad)
    return flags.includes('^') ? text.toUpperCase() : text
  }
}
