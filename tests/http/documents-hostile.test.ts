import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { CHUNK_BYTES, DOCUMENT_LIMIT } from '../../shared/schemas/document.ts'
import { getMaxBlock, measureLongestBlock } from '../longest-block.ts'
import { pickSome } from '../thorough.ts'
import { waitFor } from '../wait-for.ts'
import {
  boundary,
  createDocumentPart,
  createMultipartBody,
  createRequestPart,
  multipart,
  startDocuments,
} from './start-documents.ts'

const nothing = { documents: 0, chunks: 0, loose: 0 }
const form = 'Content-Disposition: form-data'
const long = randomBytes(CHUNK_BYTES * 2)

test.each<[string, number, Buffer<ArrayBuffer>, string?]>([
  ['no boundary', 400, createMultipartBody([createDocumentPart('x')]), 'multipart/form-data'],
  [
    'an empty boundary',
    400,
    createMultipartBody([createDocumentPart('x')]),
    'multipart/form-data; boundary=""',
  ],
  [
    'a boundary of 71 characters',
    400,
    createMultipartBody([]),
    `multipart/form-data; boundary=${'x'.repeat(71)}`,
  ],
  [
    'another boundary than the body’s',
    400,
    createMultipartBody([createDocumentPart('x')]),
    'multipart/form-data; boundary=y',
  ],
  ['another type', 415, createMultipartBody([createDocumentPart('x')]), 'application/json'],
  [
    'a type that only starts with form-data',
    415,
    createMultipartBody([createDocumentPart('x')]),
    'multipart/form-data-x; boundary=x',
  ],
  ['nothing', 400, Buffer.alloc(0)],
  ['no part', 400, createMultipartBody([])],
  ['no document', 400, createMultipartBody([createRequestPart({ metadata: {} })])],
  ['two documents', 400, createMultipartBody([createDocumentPart(long), createDocumentPart(long)])],
  [
    'two requests',
    400,
    createMultipartBody([createRequestPart({}), createRequestPart({}), createDocumentPart('x')]),
  ],
  ['10,000 parts', 400, createMultipartBody(Array.from({ length: 10_000 }, () => createDocumentPart('x')))],
  [
    '10,000 empty parts',
    400,
    createMultipartBody(Array.from({ length: 10_000 }, () => [`${form}; name="document"`, ''] as const)),
  ],
  [
    'a name with ../ in it',
    400,
    createMultipartBody([createDocumentPart(long), [`${form}; name="../../etc/passwd"`, 'x']]),
  ],
  ['a name that is a card number', 400, createMultipartBody([[`${form}; name="4242424242424242"`, 'x']])],
  ['a part without a name', 400, createMultipartBody([createDocumentPart(long), [form, 'x']])],
  ['a part without headers', 400, Buffer.from(`--${boundary}\r\n\r\nx\r\n--${boundary}--\r\n`)],
  [
    'a part other than form-data',
    400,
    createMultipartBody([['Content-Disposition: attachment; name="document"', 'x']]),
  ],
  [
    'endless headers',
    400,
    createMultipartBody([[`${form}; name="document"\r\nX: ${'x'.repeat(300_000)}`, 'x']]),
  ],
  ['long headers', 400, createMultipartBody([[`${form}; name="document"\r\nX: ${'x'.repeat(9000)}`, 'x']])],
  ['no last boundary', 400, createMultipartBody([createDocumentPart(long)], '')],
  ['half a last boundary', 400, createMultipartBody([createDocumentPart(long)], `--${boundary}-`)],
  ['an invalid type', 400, createMultipartBody([createDocumentPart('x', 'pdf')])],
  [
    'a type with a control character',
    400,
    createMultipartBody([createDocumentPart('x', 'text/plain; a=\x01')]),
  ],
  [
    'a type of 300 characters',
    400,
    createMultipartBody([createDocumentPart('x', `text/${'x'.repeat(300)}`)]),
  ],
  [
    'a request that is not JSON',
    400,
    createMultipartBody([createDocumentPart(long), [`${form}; name="request"`, '{']]),
  ],
  [
    'a request that is not an object',
    400,
    createMultipartBody([createDocumentPart(long), createRequestPart([1])]),
  ],
  [
    'a request with other members',
    400,
    createMultipartBody([createDocumentPart(long), createRequestPart({ id: 'x' })]),
  ],
  [
    'metadata that is not text',
    400,
    createMultipartBody([createDocumentPart(long), createRequestPart({ metadata: { a: 1 } })]),
  ],
  [
    '51 pairs of metadata',
    400,
    createMultipartBody([
      createRequestPart({
        metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, 'x'])),
      }),
      createDocumentPart('x'),
    ]),
  ],
  [
    'a request of 1 MB',
    413,
    createMultipartBody([
      createRequestPart({ metadata: { a: 'x'.repeat(1_000_000) } }),
      createDocumentPart('x'),
    ]),
  ],
])('X-56 an upload with %s is rejected and not stored', (_name, status, raw, type) =>
  expectRejection(status, raw, type),
)

test(
  'X-56 an upload of 50 MiB and one byte is rejected and not stored',
  {
    tags: 'thorough',
  },
  () => expectRejection(413, createMultipartBody([createDocumentPart(Buffer.alloc(DOCUMENT_LIMIT + 1))])),
)

async function expectRejection(status: number, raw: Buffer<ArrayBuffer>, type?: string): Promise<void> {
  const { vault, request, key, countRows } = await startDocuments({ strict: true })
  const headers = type === undefined ? multipart : { 'Content-Type': type }
  const response = await request('POST', '/documents', { key, raw, headers })
  expect([response.status, response.text.includes('4242')]).toEqual([status, false])
  await vault.engine.sweeper.sweep()
  expect(countRows()).toEqual(nothing)
}

const MIB = 1024 * 1024

/** Uploads and downloads this many bytes during other requests, and checks how long the main thread is busy. */
async function expectShortBlock(length: number): Promise<void> {
  const { uploadDocument, downloadDocument, request, key } = await startDocuments()
  const content = randomBytes(length)
  let others = 0
  let isOver = false
  const { result, block } = await measureLongestBlock(async () => {
    const otherRequests = (async () => {
      while (!isOver) {
        await request('GET', '/documents/none', { key })
        others++
      }
    })()
    const { status, body } = await uploadDocument([createDocumentPart(content)])
    const { bytes } = await downloadDocument(body.id)
    isOver = true
    await otherRequests
    return { status, same: bytes.equals(content) }
  })
  expect(result).toEqual({ status: 202, same: true })
  expect(others).toBeGreaterThan(length / MIB)
  expect(block).toBeLessThan(getMaxBlock(block, 250))
}

test('X-56 an upload of 4 MiB does not delay other requests', () => expectShortBlock(4 * MIB))

test(
  'X-56 an upload of 50 MiB does not delay other requests',
  {
    tags: 'thorough',
  },
  () => expectShortBlock(DOCUMENT_LIMIT),
)

/** Sends the start of an upload, and leaves the connection open. */
async function startUpload(port: number, key: string, length: number): Promise<net.Socket> {
  const socket = net.connect(port, '127.0.0.1')
  socket.on('error', () => {})
  const start = createMultipartBody([createDocumentPart(randomBytes(length))], '').subarray(0, -2)
  socket.write(
    `POST /documents HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nBT-API-KEY: ${key}\r\nContent-Type: ${multipart['Content-Type']}\r\nContent-Length: ${length * 2}\r\n\r\n`,
  )
  socket.write(start)
  return socket
}

test('X-56 an aborted upload leaves no data', async () => {
  const { vault, port, key, countRows } = await startDocuments()
  const socket = await startUpload(port, key, CHUNK_BYTES * 5)
  await waitFor(() => expect(countRows()).toMatchObject({ chunks: 4, loose: 1 }))
  // A sweep does not remove an upload in progress.
  await vault.engine.sweeper.sweep()
  expect(countRows()).toMatchObject({ chunks: 4, loose: 1 })
  socket.destroy()
  await waitFor(async () => {
    await vault.engine.sweeper.sweep()
    expect(countRows()).toEqual(nothing)
  })
})

test('X-56 an upload interrupted by closing the vault is removed at the next opening', async () => {
  const { vault, port, key, countRows, downloadDocument, uploadDocument } = await startDocuments({
    durable: true,
  })
  const kept = await uploadDocument([createDocumentPart(long)])
  const socket = await startUpload(port, key, CHUNK_BYTES * 5)
  await waitFor(() => expect(countRows()).toMatchObject({ loose: 1 }))
  vault.reopen()
  vault.engine.sweeper.start()
  await vault.engine.sweeper.sweep()
  socket.write(randomBytes(CHUNK_BYTES))
  const [response] = await once(socket, 'data')
  expect(String(response)).toMatch(/^HTTP\/1.1 503 /)
  expect(countRows()).toEqual({ documents: 1, chunks: 2, loose: 0 })
  expect((await downloadDocument(kept.body.id)).bytes.equals(long)).toBe(true)
  socket.destroy()
})

test('D-01 an upload is rejected and removed once its key is deleted', async () => {
  const { vault, app, port, key, countRows } = await startDocuments()
  const socket = await startUpload(port, key, CHUNK_BYTES * 3)
  await waitFor(() => expect(countRows()).toMatchObject({ chunks: 2 }))
  await vault.owner.applications.remove({ id: app.id })
  socket.write(randomBytes(CHUNK_BYTES * 2))
  const [response] = await once(socket, 'data')
  expect(String(response)).toMatch(/^HTTP\/1.1 401 /)
  await vault.engine.sweeper.sweep()
  expect(countRows()).toEqual(nothing)
  socket.destroy()
})

const ends: [string, (started: Awaited<ReturnType<typeof startDocuments>>, id: string) => unknown][] = [
  ['its document is deleted', ({ sendRequest }, id) => sendRequest('DELETE', `/documents/${id}`)],
  ['the vault is closed', ({ vault }) => vault.engine.close()],
]

test.each(pickSome(ends, 1))('D-01 a download ends early if %s', async (_what, end) => {
  const started = await startDocuments()
  const { vault, uploadDocument, url, key } = started
  const { body } = await uploadDocument([createDocumentPart(randomBytes(8 * MIB))])
  const response = await fetch(`${url}/documents/${body.id}/data`, { headers: { 'SVC-API-KEY': key } })
  const reader = response.body?.getReader()
  await reader?.read()
  await end(started, body.id)
  await vault.engine.sweeper.sweep().catch(() => {})
  await expect(
    (async () => {
      while (!(await reader?.read())?.done) {}
    })(),
  ).rejects.toThrow('terminated')
})

test('X-08 X-56 active uploads are not interrupted while others wait', {
  tags: 'thorough',
}, async () => {
  const { port, key, uploadDocument } = await startDocuments()
  const pieces = 16
  const piece = randomBytes(CHUNK_BYTES / 2)
  const [before, after] = createMultipartBody([createDocumentPart('|')])
    .toString('latin1')
    .split('|') as [string, string]
  const length = before.length + pieces * piece.length + after.length
  const slow = Array.from({ length: 34 }, async () => {
    const socket = net.connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    const answered = once(socket, 'data').then(([response]) => String(response).split('\r\n', 1)[0])
    socket.write(
      `POST /documents HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nBT-API-KEY: ${key}\r\nContent-Type: ${multipart['Content-Type']}\r\nContent-Length: ${length}\r\n\r\n${before}`,
    )
    for (let at = 0; at < pieces; at++) {
      socket.write(piece)
      await delay(300)
    }
    socket.write(after)
    return answered
  })
  expect((await uploadDocument([createDocumentPart(long)])).status).toBe(202)
  expect(new Set(await Promise.all(slow))).toEqual(new Set(['HTTP/1.1 202 Accepted']))
})
