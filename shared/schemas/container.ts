import { containerPattern, MAX_CONTAINER_LENGTH } from '../containers.ts'
import { z } from '../zod.ts'
import { withJsonSchema } from './common.ts'

/** A container. Its form is checked later, so that one error can list every problem (rule P-10). */
export const container = withJsonSchema(z.string().min(1).max(400), {
  type: 'string',
  minLength: 1,
  maxLength: MAX_CONTAINER_LENGTH,
  pattern: containerPattern.source,
})
