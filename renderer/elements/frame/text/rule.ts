import type { Rule } from '../field.ts'
import type { Pattern } from '../patterns/pattern.ts'
import { editMasked, type Mask } from './mask.ts'

/** The rules of a text, none of which need be there. */
export function textRule(mask?: Mask, validation?: Pattern, maxLength = Infinity): Rule {
  return {
    edit(edit) {
      const { text, caret } = mask ? editMasked(edit, mask) : { text: edit.raw, caret: edit.caret }
      return { text: text.slice(0, maxLength), caret: Math.min(caret, maxLength) }
    },
    judge(text) {
      const maskSatisfied = !mask || [...text].length === mask.length
      const valid = !validation || validation.test(text)
      const missing = !maskSatisfied || (!valid && text === '')
      return { maskSatisfied, valid, problem: missing ? 'incomplete' : valid ? null : 'invalid' }
    },
  }
}
