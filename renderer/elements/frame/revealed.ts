import { codeRule } from './cards/code.ts'
import { expiryRule } from './cards/expiry.ts'
import { numberRule } from './cards/number.ts'
import { defaultCardTypes } from './cards/types.ts'
import { judged, type Rule } from './field.ts'
import type { PartName } from './part.ts'
import { editMasked, type Mask } from './text/mask.ts'

const usualMostYears = 19

/** The options that still count for a revealed value. Neither says anything of it. */
type Form = { readonly mask: Mask | undefined; readonly isSpaced: boolean; readonly skipsLuhn: boolean }

/**
 * The rules of an input that shows a value set by reference or mirrored. SECURITY: a page may show one value in any
 * number of elements. If it chose the rules, each element's state would tell it a little more of the value.
 */
export function revealedRule(part: PartName, { mask, isSpaced, skipsLuhn }: Form): Rule {
  switch (part) {
    case 'number':
      return revealedNumber(numberRule(defaultCardTypes, skipsLuhn))
    case 'expiration':
      return expiryRule(new Date(), usualMostYears, isSpaced)
    case 'code':
      return codeRule(undefined)
    case 'text':
      return revealedText(mask)
  }
}

/** Says whether it is a card number, and not in which way it is none. */
function revealedNumber({ edit, judge }: Rule): Rule {
  return {
    edit,
    judge(text) {
      const found = judge(text)
      return found.problem === null ? found : judged(false, 'invalid')
    },
  }
}

/** Shown in the form of the mask if it fits it in full, so that no mask can leave it empty. */
function revealedText(mask: Mask | undefined): Rule {
  return {
    edit(edit) {
      const masked = mask && editMasked(edit, mask)
      if (masked && [...masked.text].length === mask.length) return masked
      return { text: edit.raw, caret: edit.caret }
    },
    judge: () => ({ maskSatisfied: true, valid: true, problem: null }),
  }
}
