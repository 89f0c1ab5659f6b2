import type { CardType, ElementOptions } from '../protocol.ts'
import { createExpiryRule } from './cards/expiry.ts'
import { createNumberRule } from './cards/number.ts'
import { defaultCardTypes } from './cards/types.ts'
import { type FieldRule, toDigits, toValidationResult } from './field.ts'
import type { FieldName } from './field-names.ts'
import type { SafePattern } from './patterns/pattern.ts'
import type { ElementSettings } from './settings.ts'
import { editMasked, type Mask } from './text/mask.ts'

const DEFAULT_MAX_YEARS = 19

/** Returns the rule of an input. `codeType` is the card type whose verification code is entered, if it is known. */
export function createFieldRule(
  { part, revealed }: { part: FieldName; revealed: boolean },
  settings: ElementSettings,
  codeType: CardType | undefined,
): FieldRule {
  if (revealed) return createRevealedRule(part, settings)
  const { options, cardTypes, mask, validation } = settings
  switch (part) {
    case 'number':
      return createNumberRule(cardTypes, options.skipLuhnValidation === true)
    case 'expiration': {
      const { maxElapsedExpirationYear: years } = options
      const maxYears = typeof years === 'number' && years >= 0 ? years : DEFAULT_MAX_YEARS
      return createExpiryRule(new Date(), maxYears, options.showSpacing === true)
    }
    case 'code':
      return createCodeRule(codeType?.code.size)
    case 'text':
      return createTextRule(mask, validation, getMaxLength(options))
  }
}

export function getMaxLength({ maxLength: limit }: ElementOptions): number | undefined {
  return Number.isSafeInteger(limit) && Number(limit) >= 0 ? limit : undefined
}

/**
 * The rule of an input that shows a value set by reference or mirrored. SECURITY: a page may show one value
 * in any number of elements. If it could choose the rules, each element's state would reveal a little more of
 * the value. The few options that still apply reveal nothing about it.
 */
function createRevealedRule(part: FieldName, { options, mask }: ElementSettings): FieldRule {
  switch (part) {
    case 'number':
      return createRevealedNumberRule(createNumberRule(defaultCardTypes, options.skipLuhnValidation === true))
    case 'expiration':
      return createExpiryRule(new Date(), DEFAULT_MAX_YEARS, options.showSpacing === true)
    case 'code':
      return createCodeRule(undefined)
    case 'text':
      return createRevealedTextRule(mask)
  }
}

/** Limits the rule of a card number: its result says only whether the number is valid, not what is wrong. */
function createRevealedNumberRule({ applyEdit, validate }: FieldRule): FieldRule {
  return {
    applyEdit,
    validate(text) {
      const result = validate(text)
      return result.problem === null ? result : toValidationResult(false, 'invalid')
    },
  }
}

/** Applies the mask only if the complete text fits it, so that no mask can leave the input empty. */
function createRevealedTextRule(mask: Mask | undefined): FieldRule {
  return {
    applyEdit(edit) {
      const masked = mask && editMasked(edit, mask)
      if (masked && [...masked.text].length === mask.length) return masked
      return { text: edit.raw, caret: edit.caret }
    },
    validate: () => ({ maskSatisfied: true, valid: true, problem: null }),
  }
}

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

export function createTextRule(mask?: Mask, validation?: SafePattern, maxLength = Infinity): FieldRule {
  return {
    applyEdit(edit) {
      const { text, caret } = mask ? editMasked(edit, mask) : { text: edit.raw, caret: edit.caret }
      return { text: text.slice(0, maxLength), caret: Math.min(caret, maxLength) }
    },
    validate(text) {
      const maskSatisfied = !mask || [...text].length === mask.length
      const valid = !validation || validation.test(text)
      const missing = !maskSatisfied || (!valid && text === '')
      return { maskSatisfied, valid, problem: missing ? 'incomplete' : valid ? null : 'invalid' }
    },
  }
}
