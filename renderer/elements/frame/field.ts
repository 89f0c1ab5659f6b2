import type { FieldError } from '../protocol.ts'

export type FieldProblem = FieldError['type']

/** What a person or a program has done to the text of an input. */
export type TextEdit = {
  /** The text as it is now, with the caret in it. */
  raw: string
  caret: number
  /** Something was deleted: nothing is filled in that would have to be deleted again. */
  deleting: boolean
  /** Pasted, filled in or set, not typed: the text may be in another form, such as `2030-01`. */
  isReplacement: boolean
}

export type FieldText = { text: string; caret: number }

export type ValidationResult = {
  maskSatisfied: boolean
  /** Passes what the rules ask of the value, apart from a mask. */
  valid: boolean
  problem: FieldProblem | null
}

/** The rules of one input. Pure: what it shows, and what is wrong with it. */
export type FieldRule = {
  applyEdit(edit: TextEdit): FieldText
  validate(text: string): ValidationResult
}

/** The digits of a text; those of other widths and scripts' keyboards count too. */
export function toDigits(text: string): string {
  return text.normalize('NFKC').replace(/\D/g, '')
}

/** What is said of a part of a card, which is valid if nothing is wrong with it. */
export function toValidationResult(maskSatisfied: boolean, problem: FieldProblem | null): ValidationResult {
  return { maskSatisfied, valid: problem === null, problem }
}
