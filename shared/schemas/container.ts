import { containerPattern, longestContainer } from '../containers.ts'
import { z } from '../zod.ts'
import { documented } from './common.ts'

/** A container. It is checked further in, together with everything else that may be wrong (rule P-10). */
export const container = documented(z.string().min(1).max(400), {
  type: 'string',
  minLength: 1,
  maxLength: longestContainer,
  pattern: containerPattern.source,
})
