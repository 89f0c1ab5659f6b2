import { z } from '../zod.ts'
import { nameObject, optionalField } from './common.ts'
import { metadata } from './metadata.ts'

/** The maximum size of a document in bytes (rule D-01). */
export const DOCUMENT_LIMIT = 50 * 1024 * 1024

/** The size in bytes of a document's sealed chunks; the last one may be shorter. */
export const CHUNK_BYTES = 256 * 1024

/** Whether a string is valid as the declared type of a document. */
export function isContentType(text: string): boolean {
  return text.length <= 255 && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[\x20-\x7e]*)?$/.test(text)
}

/** The content type that the uploader declares, returned unchanged. SECURITY: it becomes a header of the download. */
export const contentType = z
  .string()
  .refine(isContentType, 'must be a type such as application/pdf, of at most 255 characters')

/** The part named `request` of an upload. */
export const documentRequest = z.strictObject({ metadata: optionalField(metadata) })

/** The start of an upload from the window. */
export const newDocument = z.strictObject({
  bytes: z.int().min(0).max(DOCUMENT_LIMIT, 'must be at most 50 MiB'),
  content_type: contentType,
  metadata,
})

/** The maximum number of bytes in one chunk between the window and the host. */
export const TRANSFER_CHUNK_BYTES = 4 * CHUNK_BYTES

/** A document without its content (rule D-01). `content_type` is the declared one, unchanged. */
export const document = nameObject('Document', {
  id: z.uuid(),
  tenant_id: z.uuid(),
  metadata: z.record(z.string(), z.string()),
  content_type: z.string(),
  created_by: z.string().optional(),
  created_at: z.string(),
})
export type DocumentObject = z.output<typeof document>

/** The fields that the owner's list of documents filters by. */
export const documentFields = ['type', 'metadata', 'size', 'by', 'id'] as const
export type DocumentField = (typeof documentFields)[number]
