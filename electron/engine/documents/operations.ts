import { CofferError, invalid } from '../../../shared/errors.ts'
import { madeId, nothing } from '../../../shared/schemas/common.ts'
import {
  CHUNK_BYTES,
  DOCUMENT_LIMIT,
  type DocumentObject,
  document,
} from '../../../shared/schemas/document.ts'
import { isoTime } from '../../../shared/time.ts'
import { z } from '../../../shared/zod.ts'
import { creatorId } from '../access/actor.ts'
import type { Context } from '../door/context.ts'
import { goneSince } from '../door/idempotency.ts'
import { operation } from '../door/operation.ts'
import { storeChunk } from './chunks.ts'
import { uploadsIn } from './loose.ts'
import {
  addLoose,
  countChunks,
  countDocuments,
  type DocumentRow,
  deleteDocument,
  documentsAfter,
  documentsBefore,
  findDocument,
  insertDocument,
  isLoose,
} from './store.ts'

const one = z.strictObject({ id: madeId })
const about = { entity: 'document' } as const
const revealed = z.object({ document, bytes: z.int() })
const owners = { ...about, route: null, permission: 'owner', effect: 'read', status: 200 } as const
/** The most documents that are counted, so that the answer takes bounded time. */
const MOST_COUNTED = 10_000

/** One chunk of an upload. The last one brings what makes it a document. */
const chunk = z.strictObject({
  id: z.uuid(),
  number: z
    .int()
    .min(0)
    .max(DOCUMENT_LIMIT / CHUNK_BYTES - 1),
  data: z
    .instanceof(Buffer, { error: 'must be bytes' })
    .refine(({ length }) => length <= CHUNK_BYTES, 'must be one chunk'),
  last: z.strictObject({ content_type: z.string(), metadata: z.record(z.string(), z.string()) }).nullable(),
})

export const create = operation({
  ...about,
  summary: 'Upload a document',
  route: 'POST /documents',
  streamed: true,
  permission: 'documents:create',
  effect: 'write',
  status: 202,
  input: chunk,
  output: document.nullable(),
  handler(context, { id, number, data, last }) {
    const { db, now } = context
    if (!last && data.length < CHUNK_BYTES) throw invalid('data', 'must be a whole chunk')
    // SECURITY: what another upload, document or connection has left is never continued.
    if (number === 0) {
      if (isLoose(db, id) || findDocument(db, id)) throw new CofferError('conflict', 'This id is taken.')
    } else if (!isLoose(db, id) || countChunks(db, id) !== number) throw interrupted()
    storeChunk(context, id, number, data)
    if (!last) {
      if (number === 0) addLoose(db, id)
      uploadsIn(db).add(id)
      context.isPart()
      return null
    }
    const { content_type, metadata } = last
    const row: DocumentRow = {
      id,
      metadata: JSON.stringify(metadata),
      content_type,
      bytes: number * CHUNK_BYTES + data.length,
      created_by: creatorId(context.actor),
      created_at: now,
    }
    insertDocument(db, row)
    context.about(id)
    context.keep(id)
    return toDocument(context, row)
  },
  replay(context, id) {
    context.about(String(id))
    const row = findDocument(context.db, String(id))
    if (!row) throw goneSince()
    return toDocument(context, row)
  },
})

export const get = operation({
  ...about,
  summary: 'Get what is known of a document',
  route: 'GET /documents/{id}',
  permission: 'documents:read',
  effect: 'read',
  status: 200,
  input: one,
  output: document,
  handler(context, { id }) {
    return toDocument(context, requireDocument(context, id))
  },
})

export const reveal = operation({
  ...about,
  summary: 'Download a document',
  route: 'GET /documents/{id}/data',
  streamed: true,
  permission: 'documents:reveal',
  effect: 'read',
  status: 200,
  input: one,
  output: revealed,
  handler: shown,
})

export const revealToOwner = operation({
  ...about,
  summary: 'Reveal a document to the owner; the log records it',
  route: null,
  permission: 'owner',
  // A write, so that the record is on disk before the plaintext is shown.
  effect: 'write',
  status: 200,
  input: one,
  output: revealed,
  handler: shown,
})

export const list = operation({
  ...about,
  summary: 'List documents in the order of creation, for the owner',
  route: null,
  permission: 'owner',
  effect: 'read',
  status: 200,
  input: z.strictObject({ after: z.int().min(0), size: z.int().min(1).max(1000) }),
  output: z.array(z.object({ document, seq: z.int() })),
  handler(context, { after, size }) {
    return documentsAfter(context.db, after, size).map((row) => ({
      document: toDocument(context, row),
      seq: row.seq,
    }))
  },
})

export const newest = operation({
  ...owners,
  summary: 'List documents with their sizes, newest first, for the owner',
  input: z.strictObject({ before: z.int().min(1).optional(), size: z.int().min(1).max(1000) }),
  output: z.array(z.object({ document, bytes: z.int(), seq: z.int() })),
  handler(context, { before = Number.MAX_SAFE_INTEGER, size }) {
    return documentsBefore(context.db, before, size).map((row) => ({
      document: toDocument(context, row),
      bytes: row.bytes,
      seq: row.seq,
    }))
  },
})

export const describe = operation({
  ...owners,
  summary: 'Get what is known of a document, with its size, for the owner',
  input: one,
  output: revealed,
  handler(context, { id }) {
    const row = requireDocument(context, id)
    return { document: toDocument(context, row), bytes: row.bytes }
  },
})

export const count = operation({
  ...owners,
  summary: 'Count the documents and their bytes, for the owner; of more than 10,000, only the newest',
  input: nothing,
  output: z.object({ documents: z.int(), bytes: z.int(), complete: z.boolean() }),
  handler({ db }) {
    const counted = countDocuments(db, MOST_COUNTED + 1)
    return counted.documents <= MOST_COUNTED
      ? { ...counted, complete: true }
      : { ...countDocuments(db, MOST_COUNTED), complete: false }
  },
})

export const remove = operation({
  ...about,
  summary: 'Delete a document',
  route: 'DELETE /documents/{id}',
  permission: 'documents:delete',
  effect: 'write',
  status: 204,
  input: one,
  output: nothing,
  handler(context, { id }) {
    deleteDocument(context.db, requireDocument(context, id).id)
    return {}
  },
})

function shown(context: Context, { id }: { id: string }) {
  const row = requireDocument(context, id)
  // The chunks follow one by one, once the record of this call is written.
  context.showsPlaintext()
  return { document: toDocument(context, row), bytes: row.bytes }
}

function requireDocument(context: Context, id: string): DocumentRow {
  context.about(id)
  const row = findDocument(context.db, id)
  if (!row) throw new CofferError('not_found', 'There is no such document.')
  return row
}

/** The chunks of an upload went away in the middle of it: the vault was reopened, reset or moved to a new key. */
function interrupted(): CofferError {
  return new CofferError('unavailable', 'The vault was reopened during this upload. Send the document again.')
}

/** Returns a document as the interface shows it (rule D-01). */
function toDocument({ tenant_id }: Context, row: DocumentRow): DocumentObject {
  return {
    id: row.id,
    tenant_id,
    metadata: JSON.parse(row.metadata) as Record<string, string>,
    content_type: row.content_type,
    ...(row.created_by !== null && { created_by: row.created_by }),
    created_at: isoTime(row.created_at),
  }
}
