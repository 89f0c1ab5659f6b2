import { createCodeRule } from './cards/code.ts'
import { createExpiryRule } from './cards/expiry.ts'
import { createNumberRule } from './cards/number.ts'
import { defaultCardTypes } from './cards/types.ts'
import { type FieldRule, toValidationResult } from './field.ts'
import type { FieldName } from './field-names.ts'
import { editMasked, type Mask } from './text/mask.ts'

const DEFAULT_MAX_YEARS = 19

/** The options that also apply to a revealed value. None of them reveals anything about it. */
type RevealOptions = {
  readonly mask: Mask | undefined
  readonly isSpaced: boolean
  readonly skipsLuhn: boolean
}

/**
 * The rule of an input that shows a value set by reference or mirrored. SECURITY: a page may show one value
 * in any number of elements. If it could choose the rules, each element's state would reveal a little more of
 * the value.
 */
export function createRevealedRule(part: FieldName, { mask, isSpaced, skipsLuhn }: RevealOptions): FieldRule {
  switch (part) {
    case 'number':
      return createRevealedNumberRule(createNumberRule(defaultCardTypes, skipsLuhn))
    case 'expiration':
      return createExpiryRule(new Date(), DEFAULT_MAX_YEARS, isSpaced)
    case 'code':
      return createCodeRule(undefined)
    case 'text':
      return createRevealedTextRule(mask)
  }
}

/**
 * Limits the rule of a card number: the result says only whether the value is a valid card number, not what
 * is wrong with it.
 */
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
