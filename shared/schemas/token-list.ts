import { z } from '../zod.ts'
import { size, start } from './common.ts'
import { container } from './container.ts'

/** Metadata filters: pairs in the order of the query, or an object. */
export const metadataPairs = z
  .union(
    [
      z.array(z.tuple([z.string(), z.string()])),
      z.record(z.string(), z.string()).transform((record) => Object.entries(record)),
    ],
    'must be an object of strings',
  )
  .optional()
  .describe('`metadata.<key>=<value>`; also `metadata[<key>]=<value>` and a JSON object')

/** The query of List Tokens v2 (rule L-01). */
export const tokenListQuery = z.strictObject({
  container: container.optional().describe('Only tokens in this container or below it'),
  type: z.string().max(100).optional(),
  fingerprint: z.string().max(100).optional(),
  metadata: metadataPairs,
  id: z
    .never({ error: 'is not supported here; use GET /tokens/{id} for one token' })
    .optional()
    .meta({ removed: true }),
  start,
  size,
})
