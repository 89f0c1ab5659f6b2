import {
  checkComparisons,
  conditionsOn,
  type Filter,
  isFiltered,
  matchesFilter,
} from '../../../../shared/conditions.ts'
import { CofferError, createInvalidError } from '../../../../shared/errors.ts'
import { nothing } from '../../../../shared/schemas/common.ts'
import {
  CHUNK_BYTES,
  DOCUMENT_LIMIT,
  type DocumentField,
  type DocumentObject,
  document,
  documentFields,
} from '../../../../shared/schemas/document.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import { z } from '../../../../shared/zod.ts'
import { getCreatorId } from '../../access/actor.ts'
import type { Context } from '../../pipeline/context.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { byId, defineResource, MAX_FILTERED_ROWS, readMatchingRows } from '../crud.ts'
import { storeChunk } from './chunks.ts'
import { getActiveUploads } from './loose-chunks.ts'
import {
  addLooseDocument,
  countChunks,
  countDocuments,
  type DocumentRow,
  deleteDocument,
  findDocument,
  insertDocument,
  isLoose,
  listDocumentsAfter,
  listDocumentsBefore,
} from './store.ts'

const stored = defineResource('document', findDocument, toDocument)
const revealed = z.object({ document, bytes: z.int() })
/** The maximum number of documents that are counted, to limit the time. */
const MAX_COUNTED_DOCUMENTS = 10_000

/** One chunk of an upload. The last one has the document's content type and metadata. */
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

export const create = defineOperation({
  summary: 'Upload a document',
  entity: 'document',
  route: 'POST /documents',
  streamed: true,
  permission: 'documents:create',
  status: 202,
  input: chunk,
  output: document.nullable(),
  handler(context, { id, number, data, last }) {
    const { db, now } = context
    if (!last && data.length < CHUNK_BYTES) throw createInvalidError('data', 'must be a full chunk')
    // SECURITY: chunks left by another upload, document or connection are never continued.
    if (number === 0) {
      if (isLoose(db, id) || findDocument(db, id)) throw new CofferError('conflict', 'This id is taken.')
    } else if (!isLoose(db, id) || countChunks(db, id) !== number) throw createInterruptedError()
    storeChunk(context, id, number, data)
    if (!last) {
      if (number === 0) addLooseDocument(db, id)
      getActiveUploads(db).add(id)
      context.skipRecord()
      return null
    }
    const { content_type, metadata } = last
    const row: DocumentRow = {
      id,
      metadata: JSON.stringify(metadata),
      content_type,
      bytes: number * CHUNK_BYTES + data.length,
      created_by: getCreatorId(context.actor),
      created_at: now,
    }
    insertDocument(db, row)
    context.setRecordEntity(id)
    context.storeReplay(id)
    return toDocument(context, row)
  },
  replay: stored.replay,
})

export const get = defineOperation({
  summary: 'Get the metadata of a document',
  entity: 'document',
  route: 'GET /documents/{id}',
  permission: 'documents:read',
  input: byId,
  output: document,
  handler(context, { id }) {
    return toDocument(context, stored.requireRow(context, id))
  },
})

export const reveal = defineOperation({
  summary: 'Download a document',
  entity: 'document',
  route: 'GET /documents/{id}/data',
  streamed: true,
  permission: 'documents:reveal',
  input: byId,
  output: revealed,
  handler: revealDocument,
})

export const revealToOwner = defineOperation({
  summary: 'Reveal a document to the owner; the log records it',
  // A write, so that the record is on disk before the plaintext is shown.
  effect: 'write',
  entity: 'document',
  input: byId,
  output: revealed,
  handler: revealDocument,
})

export const list = defineOperation({
  summary: 'List documents in the order of creation, for the owner',
  entity: 'document',
  input: z.strictObject({ after: z.int().min(0), size: z.int().min(1).max(1000) }),
  output: z.array(z.object({ document, seq: z.int() })),
  handler(context, { after, size }) {
    return listDocumentsAfter(context.db, after, size).map((row) => ({
      document: toDocument(context, row),
      seq: row.seq,
    }))
  },
})

export const newest = defineOperation({
  summary: 'List documents with their sizes, newest first, for the owner',
  entity: 'document',
  input: z.strictObject({
    before: z.int().min(1).optional(),
    size: z.int().min(1).max(1000),
    where: conditionsOn(documentFields),
    q: z.string().max(400).optional(),
  }),
  output: z.object({
    data: z.array(z.object({ document, bytes: z.int(), seq: z.int() })),
    /** The `seq` before which to continue; null at the end. A page of a filter may have fewer documents. */
    next: z.int().nullable(),
  }),
  handler(context, { before = null, size, where = [], q = '' }) {
    checkComparisons(where, ['size'])
    const filter = { conditions: where, words: q }
    return readMatchingRows(
      { size, before, scanned: isFiltered(filter) ? MAX_FILTERED_ROWS : size },
      (limit, at) => listDocumentsBefore(context.db, at ?? Number.MAX_SAFE_INTEGER, limit),
      (row) => {
        const { bytes, seq } = row
        const stored = { document: toDocument(context, row), bytes, seq }
        return matchesDocumentFilter(filter, stored) ? stored : null
      },
    )
  },
})

type StoredDocument = { readonly document: DocumentObject; readonly bytes: number }

function matchesDocumentFilter(filter: Filter<DocumentField>, { document, bytes }: StoredDocument): boolean {
  const { id, content_type, created_by, metadata = {} } = document
  const pairs = Object.entries(metadata)
  const texts = [id, content_type, ...pairs.flat()]
  return matchesFilter(
    filter,
    (field) => {
      const values = {
        id: [id],
        type: [content_type],
        metadata: pairs.flatMap(([key, value]) => [key, value, `${key}=${value}`]),
        size: [bytes],
        by: [created_by ?? 'owner'],
      }
      return values[field]
    },
    texts,
  )
}

export const describe = defineOperation({
  summary: 'Get the metadata and size of a document, for the owner',
  entity: 'document',
  input: byId,
  output: revealed,
  handler(context, { id }) {
    const row = stored.requireRow(context, id)
    return { document: toDocument(context, row), bytes: row.bytes }
  },
})

export const count = defineOperation({
  summary: 'Count the documents and their bytes, up to the newest 10,000, for the owner',
  entity: 'document',
  input: nothing,
  output: z.object({ documents: z.int(), bytes: z.int(), complete: z.boolean() }),
  handler({ db }) {
    const counted = countDocuments(db, MAX_COUNTED_DOCUMENTS + 1)
    return counted.documents <= MAX_COUNTED_DOCUMENTS
      ? { ...counted, complete: true }
      : { ...countDocuments(db, MAX_COUNTED_DOCUMENTS), complete: false }
  },
})

export const remove = defineOperation({
  summary: 'Delete a document',
  entity: 'document',
  route: 'DELETE /documents/{id}',
  permission: 'documents:delete',
  input: byId,
  output: nothing,
  handler(context, { id }) {
    deleteDocument(context.db, stored.requireRow(context, id).id)
    return {}
  },
})

function revealDocument(context: Context, { id }: { id: string }) {
  const row = stored.requireRow(context, id)
  // The chunks are read one by one after the log record of this call is written.
  context.markPlaintextShown()
  return { document: toDocument(context, row), bytes: row.bytes }
}

/** Creates the error for an upload whose chunks a reopening, a reset or a change of the key removed. */
function createInterruptedError(): CofferError {
  return new CofferError(
    'unavailable',
    'The upload was interrupted, for example because the vault was reopened or reset. Send the document again.',
  )
}

/** Converts a row to the document of the API (rule D-01). */
function toDocument({ tenant_id }: Context, row: DocumentRow): DocumentObject {
  return {
    id: row.id,
    tenant_id,
    metadata: JSON.parse(row.metadata) as Record<string, string>,
    content_type: row.content_type,
    ...(row.created_by !== null && { created_by: row.created_by }),
    created_at: formatIsoTime(row.created_at),
  }
}
