import { type FieldRule, toDigits, toValidationResult } from '../field.ts'

/** The rule of a verification code with `size` digits, or with three or four if `size` is undefined. */
export function createCodeRule(size: number | undefined): FieldRule {
  const [min, max] = size === undefined ? [3, 4] : [size, size]
  return {
    applyEdit({ raw, caret }) {
      const text = toDigits(raw).slice(0, max)
      return { text, caret: Math.min(toDigits(raw.slice(0, caret)).length, text.length) }
    },
    validate(text) {
      const maskSatisfied = text.length >= min && text.length <= max
      if (maskSatisfied) return toValidationResult(maskSatisfied, null)
      return toValidationResult(maskSatisfied, text.length < min ? 'incomplete' : 'invalid')
    },
  }
}
