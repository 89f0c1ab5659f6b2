import { CofferError } from '../../../shared/errors.ts'
import type { DocumentObject } from '../../../shared/schemas/document.ts'
import { owner, toChunkCount } from '../../engine/index.ts'
import { createMissingPermissionError } from './missing-permission.ts'
import type { OwnersEngine } from './owner-client.ts'
import type { PushJournal } from './push-journal.ts'
import { createForbiddenCheck, getJson, type PushTarget, pushStream } from './push-request.ts'

const PAGE_SIZE = 100

/**
 * Uploads every document, in plaintext, one after another. The server assigns each a new id, which the journal stores,
 * so that a later push uploads only the documents that the server does not have. Throws `forbidden` if the key lacks a
 * permission, and what `pushItem` throws.
 */
export async function pushDocuments(
  engine: OwnersEngine,
  journal: PushJournal,
  target: PushTarget,
): Promise<void> {
  const check = createForbiddenCheck(1, createMissingPermissionError(target.url, 'documents:create'))
  const { state } = journal
  const { documents } = engine.as(owner)
  const pushDocument = async (document: DocumentObject) => {
    // A preview reads no plaintext, so the log gets no record of a reveal.
    const bytes = target.preview ? 0 : (await documents.revealToOwner({ id: document.id })).bytes
    const once = journal.getIdempotencyKey('document', document.id)
    const outcome = await pushStream(target, '/documents', once, createMultipart(engine, document, bytes))
    check(outcome)
    journal.recordRefusal('document', document.id, outcome)
    if (outcome.as !== 'created') return
    state.documents_created++
    if (outcome.id !== undefined) state.documents[document.id] = outcome.id
  }
  for (;;) {
    const page = await documents.list({ after: state.documents_after, size: PAGE_SIZE })
    for (const { document, seq } of page) {
      if (await isUploaded(document.id, journal, target)) state.documents_existing++
      else await pushDocument(document)
      state.documents_after = seq
      journal.save()
    }
    if (page.length < PAGE_SIZE) return
  }
}

/** Whether an earlier push has uploaded this document, and the server still has it. */
async function isUploaded(id: string, { state }: PushJournal, target: PushTarget): Promise<boolean> {
  const remoteId = state.documents[id]
  if (remoteId === undefined) return false
  return (await getJson(target, `/documents/${encodeURIComponent(remoteId)}`, 'documents:read')) !== null
}

function createMultipart(
  engine: OwnersEngine,
  { id, content_type, metadata }: DocumentObject,
  bytes: number,
) {
  const boundary = `coffer-${id}`
  const form = 'Content-Disposition: form-data; name='
  const request = `--${boundary}\r\n${form}"request"\r\n\r\n${JSON.stringify({ metadata })}\r\n`
  const before = `--${boundary}\r\n${form}"document"; filename="blob"\r\nContent-Type: ${content_type}\r\n\r\n`
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    async *stream(): AsyncGenerator<Buffer> {
      yield Buffer.from(request + before)
      for (let number = 0; number < toChunkCount(bytes); number++) {
        const chunk = await engine.documents.readChunk(id, number)
        if (!chunk) throw new CofferError('not_found', 'A document was deleted while it was being sent.')
        yield chunk
      }
      yield Buffer.from(`\r\n--${boundary}--\r\n`)
    },
  }
}
