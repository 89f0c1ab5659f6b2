import { createValidationError } from '../../../shared/validation.ts'
import type { z } from '../../../shared/zod.ts'
import { getFieldErrors } from '../messages/describe-error.ts'

/** Validates input with the schema that the vault uses for the request. Returns the messages by field. */
export function validateInput(schema: z.ZodType, input: unknown): Readonly<Record<string, string>> {
  const result = schema.safeParse(input)
  return result.success ? {} : getFieldErrors(createValidationError(result.error))
}
