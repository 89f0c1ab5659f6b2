import type { CardType } from '../../protocol.ts'
import { digitsOf, type Edit, type Judged, judged, type Rule, type Shown } from '../field.ts'
import { type Brands, brandsOf } from './brand.ts'

const usualGaps = [4, 8, 12]
const longest = 19

function grouped(digits: string, gaps: readonly number[]): string {
  return [...digits].map((digit, at) => (gaps.includes(at) ? ` ${digit}` : digit)).join('')
}

function lengthsOf({ candidates, brand }: Brands): readonly number[] {
  return brand ? brand.lengths : candidates.flatMap(({ lengths }) => lengths)
}

/** Whether the last digit is the check digit of those before it. */
function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

/** The rules of a card number among these types. */
export function numberRule(types: readonly CardType[], skipLuhn: boolean): Rule {
  const most = Math.max(...types.map(({ lengths }) => Math.max(...lengths)), 0) || longest

  function edit({ raw, caret }: Edit): Shown {
    const all = digitsOf(raw)
    const brands = brandsOf(all, types)
    const digits = all.slice(0, Math.max(...lengthsOf(brands), 0) || most)
    const gaps = brands.brand?.gaps ?? usualGaps
    const text = grouped(digits, gaps)
    const before = digitsOf(raw.slice(0, caret))
    return { text, caret: Math.min(grouped(before, gaps).length, text.length) }
  }

  function judge(text: string): Judged {
    const digits = digitsOf(text)
    const brands = brandsOf(digits, types)
    const lengths = lengthsOf(brands)
    const maskSatisfied = lengths.includes(digits.length)
    if (digits === '') return judged(false, 'incomplete')
    if (brands.candidates.length === 0) return judged(false, 'invalid')
    if (maskSatisfied) return judged(maskSatisfied, skipLuhn || passesLuhn(digits) ? null : 'invalid')
    return judged(maskSatisfied, digits.length < Math.max(...lengths) ? 'incomplete' : 'invalid')
  }

  return { edit, judge }
}

/** The BIN of a complete number. */
export function binOf(digits: string): string {
  return digits.slice(0, digits.length < 16 ? 6 : 8)
}
