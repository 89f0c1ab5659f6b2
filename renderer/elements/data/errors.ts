import type { FieldError, PlainError } from '../protocol.ts'
import { buildDetails, type CheckedElement } from './details.ts'

/** An error of a service, as data in the form that the API documents. */
export class ElementsServiceError extends Error {
  readonly plain: PlainError

  constructor(plain: PlainError) {
    super(plain.message)
    this.plain = plain
  }
}

/** Creates an error whose message the page may see. */
export function createServiceError(message: string): ElementsServiceError {
  return new ElementsServiceError({ name: 'Error', message })
}

/**
 * Converts an error for the page. SECURITY: the page gets only the name of an unexpected error, because the
 * message may quote input.
 */
export function toPlainError(error: unknown): PlainError {
  if (error instanceof ElementsServiceError) return error.plain
  const name = error instanceof Error ? error.name : 'Error'
  return { name, message: 'The call could not be made. Its arguments may not be valid.' }
}

/** Creates the error for invalid elements in a payload. */
export function createValidationError(
  checked: readonly CheckedElement[],
  isTokenize: boolean,
): ElementsServiceError {
  return new ElementsServiceError({
    name: 'BasisTheoryValidationError',
    message: 'Elements of the payload are incomplete or invalid.',
    ...buildDetails(checked, isTokenize),
    validation: checked.flatMap(toFieldErrors),
  })
}

const inputs: Readonly<Record<string, string>> = {
  number: 'cardNumber',
  expiration_month: 'expirationDate',
  expiration_year: 'expirationDate',
  cvc: 'cvc',
}

function toFieldErrors({ element, problem }: CheckedElement): FieldError[] {
  if (problem === null) return []
  if (typeof problem === 'string') return [{ targetId: element, type: problem }]
  const types = new Map(Object.entries(problem).map(([part, type]) => [inputs[part] ?? part, type]))
  return [...types].map(([targetId, type]) => ({ targetId, type }))
}
