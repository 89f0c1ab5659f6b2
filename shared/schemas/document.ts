import { z } from 'zod'
import { checkMetadata } from '../metadata.ts'
import { documented, optional } from './common.ts'

/** The most bytes a document may have (rule D-01). */
export const DOCUMENT_LIMIT = 50 * 1024 * 1024

/** The bytes of every sealed chunk of a document but the last, which may be shorter. */
export const CHUNK_BYTES = 256 * 1024

/** A declared type, which comes back unchanged. SECURITY: it becomes a header of the download. */
export const contentType = z
  .string()
  .max(255)
  .regex(
    /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[\x20-\x7e]*)?$/,
    'must be a type such as application/pdf, of at most 255 characters',
  )

const metadata = documented(
  z.unknown().transform((value) => checkMetadata(value, 'metadata')),
  {
    type: 'object',
    propertyNames: { minLength: 1, maxLength: 200 },
    maxProperties: 50,
    additionalProperties: { type: 'string', maxLength: 2000 },
  },
)

/** The part `request` of an upload. */
export const documentRequest = z.strictObject({ metadata: optional(metadata) })

/** What is known of a document (rule D-01). `content_type` is the one that was declared, unchanged. */
export const document = z
  .object({
    id: z.uuid(),
    tenant_id: z.uuid(),
    metadata: z.record(z.string(), z.string()),
    content_type: z.string(),
    created_by: z.string().optional(),
    created_at: z.string(),
  })
  .meta({ id: 'Document' })
export type DocumentObject = z.output<typeof document>
