import type { CardType } from '../../protocol.ts'
import {
  type FieldRule,
  type FieldText,
  type TextEdit,
  toDigits,
  toValidationResult,
  type ValidationResult,
} from '../field.ts'
import { type Brands, matchBrands } from './brand.ts'

const defaultGaps = [4, 8, 12]
const MAX_NUMBER_LENGTH = 19

function groupDigits(digits: string, gaps: readonly number[]): string {
  return [...digits].map((digit, at) => (gaps.includes(at) ? ` ${digit}` : digit)).join('')
}

function getLengths({ candidates, brand }: Brands): readonly number[] {
  return brand ? brand.lengths : candidates.flatMap(({ lengths }) => lengths)
}

function isLuhnValid(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

export function createNumberRule(types: readonly CardType[], skipLuhn: boolean): FieldRule {
  const maxLength = Math.max(...types.map(({ lengths }) => Math.max(...lengths)), 0) || MAX_NUMBER_LENGTH

  function applyEdit({ raw, caret }: TextEdit): FieldText {
    const all = toDigits(raw)
    const brands = matchBrands(all, types)
    const digits = all.slice(0, Math.max(...getLengths(brands), 0) || maxLength)
    const gaps = brands.brand?.gaps ?? defaultGaps
    const text = groupDigits(digits, gaps)
    const before = toDigits(raw.slice(0, caret))
    return { text, caret: Math.min(groupDigits(before, gaps).length, text.length) }
  }

  function validate(text: string): ValidationResult {
    const digits = toDigits(text)
    const brands = matchBrands(digits, types)
    const lengths = getLengths(brands)
    const maskSatisfied = lengths.includes(digits.length)
    if (digits === '') return toValidationResult(false, 'incomplete')
    if (brands.candidates.length === 0) return toValidationResult(false, 'invalid')
    if (maskSatisfied)
      return toValidationResult(maskSatisfied, skipLuhn || isLuhnValid(digits) ? null : 'invalid')
    return toValidationResult(maskSatisfied, digits.length < Math.max(...lengths) ? 'incomplete' : 'invalid')
  }

  return { applyEdit, validate }
}

/** The BIN of a complete number: eight digits if the number has at least 16, otherwise six. */
export function toBin(digits: string): string {
  return digits.slice(0, digits.length < 16 ? 6 : 8)
}
