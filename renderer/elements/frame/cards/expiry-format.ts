import type { CardExpiry } from './expiry.ts'

const padTwoDigits = (value: number) => String(value).padStart(2, '0')
const formatMonth = ({ month }: CardExpiry, length: 'short' | 'long') =>
  new Intl.DateTimeFormat('en-US', { month: length, timeZone: 'UTC' }).format(Date.UTC(2000, month - 1, 1))

/** The format tokens of Luxon for which a month and a year are enough. The day is always the first. */
const tokens: { readonly [token: string]: (expiry: CardExpiry) => string } = {
  M: ({ month }) => String(month),
  MM: ({ month }) => padTwoDigits(month),
  MMM: (expiry) => formatMonth(expiry, 'short'),
  MMMM: (expiry) => formatMonth(expiry, 'long'),
  L: ({ month }) => String(month),
  LL: ({ month }) => padTwoDigits(month),
  y: ({ year }) => String(year),
  yy: ({ year }) => padTwoDigits(year % 100),
  yyyy: ({ year }) => String(year),
  d: () => '1',
  dd: () => '01',
}

/**
 * Formats a date with the tokens of Luxon's `toFormat`. Text in single quotes is literal.
 *
 * @throws RangeError for a token that needs more than a month and a year
 */
export function formatExpiry(expiry: CardExpiry, format: string): string {
  return format.replace(/'([^']*)'|([A-Za-z])\2*/g, (token, quoted: string | undefined) => {
    if (quoted !== undefined) return quoted
    const write = Object.hasOwn(tokens, token) ? tokens[token] : undefined
    if (!write) throw new RangeError('The format of the expiration date has an unknown token.')
    return write(expiry)
  })
}
