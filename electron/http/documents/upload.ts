import type { Readable } from 'node:stream'
import { CofferError, invalid } from '../../../shared/errors.ts'
import { Problems, safeName } from '../../../shared/problems.ts'
import { MOST_MEMBERS } from '../../../shared/safe-json.ts'
import {
  CHUNK_BYTES,
  contentType,
  DOCUMENT_LIMIT,
  documentRequest,
} from '../../../shared/schemas/document.ts'
import { parsed } from '../../../shared/validation.ts'
import type { Answer } from '../../engine/door/call.ts'
import { parseBytes } from '../body.ts'
import { LARGE, type Upload } from '../uploads.ts'
import { type Part, partsOf, tooLarge } from './multipart.ts'

/** What a chunk of an upload says, as `documents.create` takes it. */
export type Chunk = {
  readonly id: string
  readonly number: number
  readonly data: Buffer
  readonly last: { readonly content_type: string; readonly metadata: Record<string, string> } | null
}

type Metadata = Record<string, string>
type Document = { readonly content_type: string; readonly last: Buffer; readonly number: number }

/** The most bytes of the part `request`: more than the longest metadata needs. */
const REQUEST_LIMIT = 512 * 1024
/** The most bytes of a body: a document, the other part, and what stands around them. */
export const BODY_LIMIT = DOCUMENT_LIMIT + 1024 * 1024

/**
 * Stores a multipart body as a document, chunk by chunk (rule D-01). Holds little more than one chunk in memory. Throws
 * `invalid`, `too_large`, and what `store` throws; the caller removes what was stored.
 */
export async function receive(
  body: Readable,
  boundary: string,
  upload: Upload | null,
  id: string,
  store: (chunk: Chunk) => Promise<Answer>,
): Promise<Answer> {
  const came = counter(upload)
  let document: Document | null = null
  let metadata: Metadata | null = null
  for await (const part of partsOf(body, { boundary, most: BODY_LIMIT, late: upload?.late ?? null })) {
    if (part.name === 'document' && !document) document = await receiveDocument(part, id, came, store)
    else if (part.name === 'request' && !metadata) metadata = await receiveRequest(part, came)
    else if (part.name === 'document' || part.name === 'request')
      throw invalid(part.name, 'must be given once')
    else throw invalid(safeName(part.name), 'is not a part of this request')
  }
  if (!document) throw invalid('document', 'is required')
  const { content_type, last, number } = document
  return store({ id, number, data: last, last: { content_type, metadata: metadata ?? {} } })
}

type Came = (bytes: number) => Promise<void>

/** Waits for the place of a large body once much of it has come. */
function counter(upload: Upload | null): Came {
  let length = 0
  let waits = upload
  return async (bytes) => {
    length += bytes
    if (!waits || length <= LARGE) return
    const { enter } = waits
    waits = null
    await enter()
  }
}

/** Stores all chunks but the last, which becomes known when the part ends and is stored with what it completes. */
async function receiveDocument(
  { content_type, body }: Part,
  id: string,
  came: Came,
  store: (chunk: Chunk) => Promise<Answer>,
): Promise<Document> {
  const type = declaredType(content_type)
  let pending: Buffer[] = []
  let length = 0
  let number = 0
  let total = 0
  for await (const piece of body) {
    await came(piece.length)
    total += piece.length
    if (total > DOCUMENT_LIMIT) throw tooLarge()
    pending.push(piece)
    length += piece.length
    // A full chunk waits until more follows: it may be the last.
    if (length <= CHUNK_BYTES) continue
    const all = Buffer.concat(pending, length)
    let at = 0
    for (; all.length - at > CHUNK_BYTES; at += CHUNK_BYTES) {
      await store({ id, number, data: all.subarray(at, at + CHUNK_BYTES), last: null })
      number++
    }
    // Copied, so that the rest does not keep the whole in memory.
    pending = [Buffer.from(all.subarray(at))]
    length = all.length - at
  }
  return { content_type: type, last: Buffer.concat(pending, length), number }
}

/** The declared type, unchanged. */
function declaredType(declared: string | null): string {
  if (declared === null) return 'application/octet-stream'
  if (!contentType.safeParse(declared).success)
    throw invalid('document', 'must have a Content-Type such as application/pdf, of at most 255 characters')
  return declared
}

async function receiveRequest({ body }: Part, came: Came): Promise<Metadata> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of body) {
    await came(piece.length)
    length += piece.length
    if (length > REQUEST_LIMIT) throw new CofferError('too_large', 'The part request is larger than 512 KiB.')
    pieces.push(piece)
  }
  const problems = new Problems()
  const read = () => parsed(documentRequest, parseBytes(Buffer.concat(pieces), MOST_MEMBERS))
  const request = problems.attempt(read, 'request')
  problems.throwIfAny()
  return request?.metadata ?? {}
}
