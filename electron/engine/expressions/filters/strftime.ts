import { lengthOf } from '../../../../shared/characters.ts'
import { invalid } from '../../../../shared/errors.ts'

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

type Code = { readonly width: number; readonly pad: string; readonly of: (date: Date) => string | number }

function numeric(width: number, of: (date: Date) => number, pad = '0'): Code {
  return { width, pad, of }
}

function named(of: (date: Date) => string): Code {
  return { width: 0, pad: ' ', of }
}

const hour12 = (date: Date): number => date.getUTCHours() % 12 || 12
const dayOfYear = (date: Date): number => {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1
}

/** The week of the year, from the first one that begins on this day (0 is Sunday); 0 before that. */
const weekFrom = (first: number) => (date: Date) =>
  Math.floor((dayOfYear(date) + 6 - ((date.getUTCDay() - first + 7) % 7)) / 7)
/** The Thursday of the week, which says to which year of ISO 8601 the week belongs. */
const thursdayOf = (date: Date) => new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * 86_400_000)

const codes: ReadonlyMap<string, Code> = new Map<string, Code>([
  ['Y', numeric(4, (date) => date.getUTCFullYear())],
  ['C', numeric(2, (date) => Math.floor(date.getUTCFullYear() / 100))],
  ['y', numeric(2, (date) => date.getUTCFullYear() % 100)],
  ['m', numeric(2, (date) => date.getUTCMonth() + 1)],
  ['d', numeric(2, (date) => date.getUTCDate())],
  ['e', numeric(2, (date) => date.getUTCDate(), ' ')],
  ['j', numeric(3, dayOfYear)],
  ['U', numeric(2, weekFrom(0))],
  ['W', numeric(2, weekFrom(1))],
  ['V', numeric(2, (date) => Math.ceil(dayOfYear(thursdayOf(date)) / 7))],
  ['G', numeric(4, (date) => thursdayOf(date).getUTCFullYear())],
  ['g', numeric(2, (date) => thursdayOf(date).getUTCFullYear() % 100)],
  ['H', numeric(2, (date) => date.getUTCHours())],
  ['k', numeric(2, (date) => date.getUTCHours(), ' ')],
  ['I', numeric(2, hour12)],
  ['l', numeric(2, hour12, ' ')],
  ['M', numeric(2, (date) => date.getUTCMinutes())],
  ['S', numeric(2, (date) => date.getUTCSeconds())],
  ['L', numeric(3, (date) => date.getUTCMilliseconds())],
  ['N', numeric(9, (date) => date.getUTCMilliseconds() * 1_000_000)],
  ['s', numeric(0, (date) => Math.floor(date.getTime() / 1000))],
  ['u', numeric(0, (date) => date.getUTCDay() || 7)],
  ['w', numeric(0, (date) => date.getUTCDay())],
  ['B', named((date) => MONTHS[date.getUTCMonth()] ?? '')],
  ['b', named((date) => (MONTHS[date.getUTCMonth()] ?? '').slice(0, 3))],
  ['h', named((date) => (MONTHS[date.getUTCMonth()] ?? '').slice(0, 3))],
  ['A', named((date) => DAYS[date.getUTCDay()] ?? '')],
  ['a', named((date) => (DAYS[date.getUTCDay()] ?? '').slice(0, 3))],
  ['p', named((date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'))],
  ['P', named((date) => (date.getUTCHours() < 12 ? 'am' : 'pm'))],
  ['Z', named(() => 'UTC')],
  ['z', named(() => '+0000')],
  ['n', named(() => '\n')],
  ['t', named(() => '\t')],
  ['%', named(() => '%')],
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
 * Compiles a strftime format into a function that formats a date in UTC and in English. Supports the flags `-`, `_`,
 * `0` and `^` and widths; an unknown code stays as it is. Throws `invalid` for a format over 200 characters or a width
 * over 30.
 */
export function compileFormat(format: string): (date: Date) => string {
  const whole = format.replace(/%([%FTXRDxrcv])/g, (all, code) => shorthands.get(code) ?? all)
  // SECURITY: without these bounds `%999999999d` or a long format would fill the memory (case X-21).
  if (lengthOf(format) > 200)
    throw invalid('', 'must give the filter date a format of at most 200 characters')
  const parts = whole
    .split(/(%:?[-_0^]{0,3}\d*[A-Za-z%])/)
    .map((part, at) => (at % 2 === 0 ? () => part : writer(part)))
  return (date) => parts.map((part) => part(date)).join('')
}

function writer(directive: string): (date: Date) => string {
  const [, colon, flags = '', width = '', letter = ''] = /^%(:?)([-_0^]*)(\d*)(.)$/.exec(directive) ?? []
  const code = codes.get(letter)
  if (!code) return () => directive
  if (Number(width) > 30) throw invalid('', 'must give the filter date widths of at most 30')
  if (colon && letter === 'z') return () => '+00:00'
  const pad = flags.includes('_') ? ' ' : flags.includes('0') ? '0' : code.pad
  const least = flags.includes('-') ? 0 : Number(width) || code.width
  return (date) => {
    const text = String(code.of(date)).padStart(least, pad)
    return flags.includes('^') ? text.toUpperCase() : text
  }
}
