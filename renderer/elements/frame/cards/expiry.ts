import { type FieldRule, type TextEdit, toDigits, toValidationResult } from '../field.ts'

export type CardExpiry = { month: number; year: number }

const monthFirst = /^\s*(\d{1,2})\D+(\d{4}|\d{2})\s*$/
const yearFirst = /^\s*(\d{4})-(\d{1,2})\s*$/

/** The four digits of a complete date, in any form that is common in values that are pasted, filled in or set. */
function parseFullDate(text: string): string | undefined {
  const [, month, year] = monthFirst.exec(text) ?? []
  if (month && year) return month.padStart(2, '0') + year.slice(-2)
  const [, firstYear, lastMonth] = yearFirst.exec(text) ?? []
  if (firstYear && lastMonth) return lastMonth.padStart(2, '0') + firstYear.slice(-2)
  const digits = toDigits(text)
  return digits.length === 6 ? digits.slice(0, 2) + digits.slice(-2) : undefined
}

/** Parses a complete month and year. */
export function parseExpiry(text: string): CardExpiry | undefined {
  const digits = toDigits(text)
  if (digits.length !== 4) return undefined
  return { month: Number(digits.slice(0, 2)), year: 2000 + Number(digits.slice(2)) }
}

/** Formats a date as `MM/YY`. Either part may be missing. */
export function toExpiryText(month: number | string, year: number | string): string {
  const digits = toDigits(String(month))
  return `${digits ? digits.padStart(2, '0') : ''}/${toDigits(String(year)).slice(-2)}`
}

/** The rule of an expiration date: not before the month of `now`, and at most `maxYears` after its year. */
export function createExpiryRule(now: Date, maxYears: number, spaced: boolean): FieldRule {
  const slash = spaced ? ' / ' : '/'

  function formatDigits(digits: string, deleting: boolean): string {
    const padded = /^[2-9]/.test(digits) ? `0${digits}` : digits
    const rest = padded.slice(2, 4)
    return padded.length < 2 || (deleting && rest === '') ? padded : padded.slice(0, 2) + slash + rest
  }

  function readDigits(raw: string, deleting: boolean): string {
    // "1/" is January.
    return !deleting && /^\d\s*[/.-]\s*$/.test(raw) ? `0${toDigits(raw)}` : toDigits(raw)
  }

  return {
    applyEdit({ raw, caret, deleting, isReplacement }: TextEdit) {
      const normal = raw.normalize('NFKC')
      const date = isReplacement ? parseFullDate(normal) : undefined
      if (date) {
        const text = formatDigits(date, false)
        return { text, caret: text.length }
      }
      const text = formatDigits(readDigits(normal, deleting), deleting)
      return {
        text,
        caret: Math.min(
          formatDigits(readDigits(normal.slice(0, caret), deleting), deleting).length,
          text.length,
        ),
      }
    },
    validate(text) {
      const digits = toDigits(text)
      const month = Number(digits.slice(0, 2))
      const isMonth = month >= 1 && month <= 12
      if (digits.length < 2) return toValidationResult(false, 'incomplete')
      if (!isMonth) return toValidationResult(digits.length === 4, 'invalid')
      const expiry = parseExpiry(text)
      if (!expiry) return toValidationResult(false, 'incomplete')
      const monthsLeft = (expiry.year - now.getFullYear()) * 12 + expiry.month - 1 - now.getMonth()
      const tooLate = expiry.year > now.getFullYear() + maxYears
      return toValidationResult(true, monthsLeft < 0 || tooLate ? 'invalid' : null)
    },
  }
}
