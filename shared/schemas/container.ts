import { z } from 'zod'
import { documented } from './common.ts'

export const longestContainer = 200
/** Matches a container before it is lower-cased (rule P-10). */
export const containerPattern = /^\/(?:[A-Za-z0-9_-]+\/)*$/

/** A container. It is checked further in, together with everything else that may be wrong (rule P-10). */
export const container = documented(z.string().min(1).max(400), {
  type: 'string',
  minLength: 1,
  maxLength: longestContainer,
  pattern: containerPattern.source,
})
