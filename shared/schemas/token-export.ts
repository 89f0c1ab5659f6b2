import { z } from '../zod.ts'
import { json } from './common.ts'

/** A token in a file, with every member that a caller can set, so that importing it creates an equal token. */
const exportedToken = z.object({
  id: z.string(),
  type: z.string(),
  /** Masked, or absent if the token has no mask; plaintext if the export is not masked. */
  data: json.optional(),
  mask: json.optional(),
  containers: z.array(z.string()),
  metadata: z.record(z.string(), z.string()).optional(),
  search_indexes: z.array(z.string()).optional(),
  fingerprint_expression: z.string().optional(),
  expires_at: z.string().optional(),
})
export type ExportedToken = z.output<typeof exportedToken>

export const exportQuery = z.strictObject({
  /** `next` of the previous page. */
  after: z.int().min(0).default(0),
  size: z.int().min(1).max(1000).default(500),
  clear: z.boolean().default(false),
  /** Only these tokens, in this order; `after` is then an index in this list. */
  ids: z.array(z.string()).max(1000).optional(),
})

export const exportPage = z.object({
  tokens: z.array(exportedToken),
  /** Null on the last page. */
  next: z.int().nullable(),
})
