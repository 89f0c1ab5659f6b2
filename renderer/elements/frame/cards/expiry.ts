import { digitsOf, type Edit, judged, type Rule } from '../field.ts'

export type Expiry = { month: number; year: number }

const monthFirst = /^\s*(\d{1,2})\D+(\d{4}|\d{2})\s*$/
const yearFirst = /^\s*(\d{4})-(\d{1,2})\s*$/

/** The four digits of a whole date in one of the forms that are pasted, filled in and set. */
function wholeDate(text: string): string | undefined {
  const [, month, year] = monthFirst.exec(text) ?? []
  if (month && year) return month.padStart(2, '0') + year.slice(-2)
  const [, firstYear, lastMonth] = yearFirst.exec(text) ?? []
  if (firstYear && lastMonth) return lastMonth.padStart(2, '0') + firstYear.slice(-2)
  const digits = digitsOf(text)
  return digits.length === 6 ? digits.slice(0, 2) + digits.slice(-2) : undefined
}

/** The month and year that a complete text names. */
export function expiryOf(text: string): Expiry | undefined {
  const digits = digitsOf(text)
  if (digits.length !== 4) return undefined
  return { month: Number(digits.slice(0, 2)), year: 2000 + Number(digits.slice(2)) }
}

/** The text of a date; either part may be missing. */
export function expiryText(month: number | string, year: number | string): string {
  const digits = digitsOf(String(month))
  return `${digits ? digits.padStart(2, '0') : ''}/${digitsOf(String(year)).slice(-2)}`
}

/** The rules of an expiration date: not before the month of `now`, at most `mostYears` after its year. */
export function expiryRule(now: Date, mostYears: number, spaced: boolean): Rule {
  const slash = spaced ? ' / ' : '/'

  function show(digits: string, deleting: boolean): string {
    const padded = /^[2-9]/.test(digits) ? `0${digits}` : digits
    const rest = padded.slice(2, 4)
    return padded.length < 2 || (deleting && rest === '') ? padded : padded.slice(0, 2) + slash + rest
  }

  function typed(raw: string, deleting: boolean): string {
    // "1/" is January.
    return !deleting && /^\d\s*[/.-]\s*$/.test(raw) ? `0${digitsOf(raw)}` : digitsOf(raw)
  }

  return {
    edit({ raw, caret, deleting, whole }: Edit) {
      const normal = raw.normalize('NFKC')
      const date = whole ? wholeDate(normal) : undefined
      if (date) {
        const text = show(date, false)
        return { text, caret: text.length }
      }
      const text = show(typed(normal, deleting), deleting)
      return {
        text,
        caret: Math.min(show(typed(normal.slice(0, caret), deleting), deleting).length, text.length),
      }
    },
    judge(text) {
      const digits = digitsOf(text)
      const month = Number(digits.slice(0, 2))
      const isMonth = month >= 1 && month <= 12
      if (digits.length < 2) return judged(false, 'incomplete')
      if (!isMonth) return judged(digits.length === 4, 'invalid')
      const expiry = expiryOf(text)
      if (!expiry) return judged(false, 'incomplete')
      const monthsLeft = (expiry.year - now.getFullYear()) * 12 + expiry.month - 1 - now.getMonth()
      const tooLate = expiry.year > now.getFullYear() + mostYears
      return judged(true, monthsLeft < 0 || tooLate ? 'invalid' : null)
    },
  }
}
