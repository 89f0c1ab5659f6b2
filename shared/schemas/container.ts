import { containerPattern, MAX_CONTAINER_LENGTH } from '../containers.ts'
import { z } from '../zod.ts'
import { withJsonSchema } from './common.ts'

/** A container. It is checked later, together with everything else that may be wrong (rule P-10). */
export const container = withJsonSchema(z.string().min(1).max(400), {
  type: 'string',
  minLength: 1,
  maxLength: MAX_CONTAINER_LENGTH,
  pattern: containerPattern.source,
})
