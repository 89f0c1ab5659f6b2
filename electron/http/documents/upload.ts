import type { Readable } from 'node:stream'
import { CofferError, createInvalidError } from '../../../shared/errors.ts'
import { Problems, sanitizeName } from '../../../shared/problems.ts'
import { MAX_MEMBERS } from '../../../shared/safe-json.ts'
import {
  CHUNK_BYTES,
  contentType,
  DOCUMENT_LIMIT,
  documentRequest,
} from '../../../shared/schemas/document.ts'
import { type IgnoredMember, parseInput } from '../../../shared/validation.ts'
import type { CallResult } from '../../engine/index.ts'
import { parseBytes } from '../body.ts'
import { LARGE_BODY_BYTES, type UploadSlot } from '../uploads.ts'
import { createTooLargeError, type MultipartPart, parseParts } from './multipart.ts'

/** A chunk of an upload: the input of `documents.create`. */
export type UploadChunk = {
  readonly id: string
  readonly number: number
  readonly data: Buffer
  readonly last: { readonly content_type: string; readonly metadata: Record<string, string> } | null
}

type UploadMetadata = Record<string, string>
type ReceivedDocument = { readonly content_type: string; readonly last: Buffer; readonly number: number }

/** The maximum size of the part `request` in bytes: more than the longest metadata needs. */
const MAX_REQUEST_BYTES = 512 * 1024
/** The maximum size of a body in bytes: a document, the other part, and the multipart syntax around them. */
export const MAX_BODY_BYTES = DOCUMENT_LIMIT + 1024 * 1024

/**
 * Stores a multipart body as a document, chunk by chunk (rule D-01). Keeps little more than one chunk in memory.
 * Throws `invalid`, `too_large`, and the errors of `storeChunk`; the caller removes the stored chunks.
 */
export async function receiveUpload(
  body: Readable,
  boundary: string,
  upload: UploadSlot | null,
  id: string,
  storeChunk: (chunk: UploadChunk) => Promise<CallResult>,
  ignored: IgnoredMember[] | null,
): Promise<CallResult> {
  const onBytes = createByteCounter(upload)
  let document: ReceivedDocument | null = null
  let metadata: UploadMetadata | null = null
  for await (const part of parseParts(body, {
    boundary,
    maxBytes: MAX_BODY_BYTES,
    timedOut: upload?.timedOut ?? null,
  })) {
    if (part.name === 'document' && !document) document = await receiveDocument(part, id, onBytes, storeChunk)
    else if (part.name === 'request' && !metadata) metadata = await receiveRequest(part, onBytes, ignored)
    else if (part.name === 'document' || part.name === 'request')
      throw createInvalidError(part.name, 'must appear only once')
    else throw createInvalidError(sanitizeName(part.name), 'is not a part of this request')
  }
  if (!document) throw createInvalidError('document', 'is required')
  const { content_type, last, number } = document
  return storeChunk({ id, number, data: last, last: { content_type, metadata: metadata ?? {} } })
}

type OnUploadBytes = (bytes: number) => Promise<void>

/** Returns a function that counts the bytes of a body, and waits for a slot once the body is large. */
function createByteCounter(upload: UploadSlot | null): OnUploadBytes {
  let length = 0
  let waits = upload
  return async (bytes) => {
    length += bytes
    if (!waits || length <= LARGE_BODY_BYTES) return
    const { acquire } = waits
    waits = null
    await acquire()
  }
}

/**
 * Stores all chunks but the last, and returns the last, which is stored later, together with the metadata. Which chunk
 * is the last is known only when the part ends.
 */
async function receiveDocument(
  { content_type, body }: MultipartPart,
  id: string,
  onBytes: OnUploadBytes,
  store: (chunk: UploadChunk) => Promise<CallResult>,
): Promise<ReceivedDocument> {
  const type = checkContentType(content_type)
  let pending: Buffer[] = []
  let length = 0
  let number = 0
  let total = 0
  for await (const bytes of body) {
    await onBytes(bytes.length)
    total += bytes.length
    if (total > DOCUMENT_LIMIT) throw createTooLargeError()
    pending.push(bytes)
    length += bytes.length
    // A full chunk may be the last one, which is not stored here, so it is stored only after more bytes arrive.
    if (length <= CHUNK_BYTES) continue
    const all = Buffer.concat(pending, length)
    let at = 0
    for (; all.length - at > CHUNK_BYTES; at += CHUNK_BYTES) {
      await store({ id, number, data: all.subarray(at, at + CHUNK_BYTES), last: null })
      number++
    }
    // Copied, because a part of the buffer would keep the complete buffer in memory.
    pending = [Buffer.from(all.subarray(at))]
    length = all.length - at
  }
  return { content_type: type, last: Buffer.concat(pending, length), number }
}

/** Returns the declared type unchanged; throws `invalid` if it is malformed. */
function checkContentType(declared: string | null): string {
  if (declared === null) return 'application/octet-stream'
  if (!contentType.safeParse(declared).success)
    throw createInvalidError(
      'document',
      'must have a Content-Type such as application/pdf, of at most 255 characters',
    )
  return declared
}

async function receiveRequest(
  { body }: MultipartPart,
  onBytes: OnUploadBytes,
  ignored: IgnoredMember[] | null,
): Promise<UploadMetadata> {
  const buffers: Buffer[] = []
  let length = 0
  for await (const bytes of body) {
    await onBytes(bytes.length)
    length += bytes.length
    if (length > MAX_REQUEST_BYTES)
      throw new CofferError('too_large', 'The part "request" is larger than 512 KiB.')
    buffers.push(bytes)
  }
  const problems = new Problems()
  const parseRequestPart = () => {
    const content = parseBytes(Buffer.concat(buffers), MAX_MEMBERS)
    return parseInput(documentRequest, content, ignored ? { ignored, under: 'request' } : undefined)
  }
  const request = problems.attemptCheck(parseRequestPart, 'request')
  problems.throwIfAny()
  return request?.metadata ?? {}
}
