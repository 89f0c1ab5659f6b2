import type { FieldError } from '../protocol.ts'

export type FieldProblem = FieldError['type']

/** An edit of an input's text, by a person or a program. */
export type TextEdit = {
  raw: string
  caret: number
  /** Whether the edit deletes text; the rule must then not fill in the same characters again. */
  deleting: boolean
  /** Whether the text was pasted, filled in or set. It may then have another form, such as `2030-01`. */
  isReplacement: boolean
}

export type FieldText = { text: string; caret: number }

export type ValidationResult = {
  maskSatisfied: boolean
  /** Whether the value passes the rule, apart from its mask. */
  valid: boolean
  problem: FieldProblem | null
}

/** The rule of one input, without state: how its text is displayed, and what is wrong with it. */
export type FieldRule = { applyEdit(edit: TextEdit): FieldText; validate(text: string): ValidationResult }

/** Returns the digits in text, including full-width and non-Latin digits. */
export function toDigits(text: string): string {
  return text.normalize('NFKC').replace(/\D/g, '')
}

/** The validation result of an input that is part of a card: valid unless there is a problem. */
export function toValidationResult(maskSatisfied: boolean, problem: FieldProblem | null): ValidationResult {
  return { maskSatisfied, valid: problem === null, problem }
}
