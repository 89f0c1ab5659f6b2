import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { openDatabase } from '../../electron/engine/db/open.ts'
import { CHUNK_BYTES } from '../../shared/schemas/document.ts'
import {
  createDocumentPart,
  createMultipartBody,
  createRequestPart,
  multipart,
  startDocuments,
} from './start-documents.ts'

test.each([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES, 3 * CHUNK_BYTES + 7])(
  'D-01 %i bytes are downloaded unchanged, in either order of the parts',
  async (length) => {
    const { uploadDocument, downloadDocument, countRows } = await startDocuments()
    const content = randomBytes(length)
    const parts = [
      createDocumentPart(content, 'application/pdf'),
      createRequestPart({ metadata: { a: 'b' } }),
    ]
    for (const order of [parts, parts.toReversed()]) {
      const { status, body } = await uploadDocument(order)
      expect([status, body.metadata]).toEqual([202, { a: 'b' }])
      const response = await downloadDocument(body.id)
      expect([response.bytes.equals(content), response.headers.get('content-length')]).toEqual([
        true,
        String(length),
      ])
    }
    expect(countRows()).toEqual({
      documents: 2,
      chunks: 2 * Math.max(1, Math.ceil(length / CHUNK_BYTES)),
      loose: 0,
    })
  },
)

test('D-01 A-04 HEAD returns the headers of a download without its bytes', async () => {
  const { uploadDocument, url, key } = await startDocuments()
  const { body } = await uploadDocument([createDocumentPart(randomBytes(CHUNK_BYTES + 5), 'image/png')])
  const response = await fetch(`${url}/documents/${body.id}/data`, {
    method: 'HEAD',
    headers: { 'SVC-API-KEY': key },
  })
  expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
    200,
    String(CHUNK_BYTES + 5),
    '',
  ])
})

test('D-01 P-12 each document operation needs its permission, and a rejected upload stores nothing', async () => {
  const { vault, uploadDocument, request, countRows } = await startDocuments()
  const { body } = await uploadDocument([createDocumentPart('x')])
  const calls = {
    'documents:create': (key: string) =>
      request('POST', '/documents', {
        key,
        raw: createMultipartBody([createDocumentPart(randomBytes(CHUNK_BYTES + 1))]),
        headers: multipart,
      }),
    'documents:read': (key: string) => request('GET', `/documents/${body.id}`, { key }),
    'documents:reveal': (key: string) => request('GET', `/documents/${body.id}/data`, { key }),
    'documents:delete': (key: string) => request('DELETE', `/documents/${body.id}`, { key }),
  }
  for (const [permission, call] of Object.entries(calls)) {
    const others = Object.keys(calls).filter((each) => each !== permission)
    const { key } = await vault.application({ permissions: others })
    expect([permission, (await call(key)).status]).toEqual([permission, 403])
  }
  expect(countRows()).toEqual({ documents: 1, chunks: 1, loose: 0 })
})

test('O-05 X-44 each document call is recorded, and a download before it sends its first byte', async () => {
  const { vault, uploadDocument, downloadDocument, sendRequest } = await startDocuments()
  const { body } = await uploadDocument([createDocumentPart(randomBytes(2 * CHUNK_BYTES))])
  await downloadDocument(body.id)
  await sendRequest('GET', `/documents/${body.id}`)
  await sendRequest('DELETE', `/documents/${body.id}`)
  await uploadDocument([createRequestPart({})])
  const { data } = await vault.owner.logs.list({ entity_type: 'document' })
  expect(data.map(({ action, status, entity_id, path }) => [action, status, entity_id, path])).toEqual([
    ['documents.create', 400, undefined, '/documents'],
    ['documents.remove', 204, body.id, `/documents/${body.id}`],
    ['documents.get', 200, body.id, `/documents/${body.id}`],
    ['documents.reveal', 200, body.id, `/documents/${body.id}/data`],
    ['documents.create', 202, body.id, '/documents'],
  ])
})

test('A-12 a repeated upload returns the same document', async () => {
  const { uploadDocument, sendRequest, countRows } = await startDocuments()
  const content = randomBytes(2 * CHUNK_BYTES + 1)
  const once = { 'SVC-IDEMPOTENCY-KEY': 'once' }
  const first = await uploadDocument([createDocumentPart(content)], once)
  const second = await uploadDocument([createDocumentPart(content)], once)
  expect([second.status, second.body]).toEqual([202, first.body])
  await sendRequest('DELETE', `/documents/${first.body.id}`)
  expect(await uploadDocument([createDocumentPart(content)], once)).toMatchObject({ status: 409 })
  expect(countRows()).toMatchObject({ documents: 0 })
})

test('R-01 D-01 legacy limits allow 10 uploads and 10 downloads per minute', async () => {
  const { vault, uploadDocument, downloadDocument } = await startDocuments()
  const { body } = await uploadDocument([createDocumentPart('x')])
  for (let at = 0; at < 15; at++) expect((await downloadDocument(body.id)).status).toBe(200)
  await vault.owner.tenants.update({ name: 'Test', settings: { rate_limits: 'legacy' } })
  for (let at = 0; at < 10; at++) expect((await uploadDocument([createDocumentPart('x')])).status).toBe(202)
  const rejected = await uploadDocument([createDocumentPart('x')])
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '60'])
  for (let at = 0; at < 10; at++) expect((await downloadDocument(body.id)).status).toBe(200)
  expect((await downloadDocument(body.id)).status).toBe(429)
  const other = await vault.application({ permissions: ['documents:reveal'] })
  expect((await downloadDocument(body.id, { 'SVC-API-KEY': other.key })).status).toBe(200)
  vault.clock.advance(60_000)
  expect((await uploadDocument([createDocumentPart('x')])).status).toBe(202)
})

test('D-01 a chunk that was swapped with another is not returned', async () => {
  const { vault, uploadDocument, downloadDocument } = await startDocuments()
  const { body } = await uploadDocument([createDocumentPart(randomBytes(2 * CHUNK_BYTES))])
  const db = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
  db.exec(
    'UPDATE document_chunk SET number = 1 - number + 10; UPDATE document_chunk SET number = number - 10',
  )
  db.close()
  expect(await downloadDocument(body.id)).toMatchObject({ status: 500 })
})
