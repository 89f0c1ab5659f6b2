import type { FieldRule } from '../field.ts'
import type { SafePattern } from '../patterns/pattern.ts'
import { editMasked, type Mask } from './mask.ts'

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
