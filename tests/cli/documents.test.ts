import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { ReadableStream } from 'node:stream/web'
import { expect, test } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { openReadOnly } from '../../electron/engine/db/open.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { CHUNK_BYTES, DOCUMENT_LIMIT } from '../../shared/schemas/document.ts'
import { createDocumentPart, createMultipartBody, multipart } from '../http/start-documents.ts'
import { readFileSize } from '../read-file-size.ts'
import { createTempFolder } from '../vault.ts'
import { serveInProcess } from './in-process.ts'
import { startServe } from './run-coffer.ts'

const passphrase = 'correct horse battery staple'

async function startWithKey(dataDir: string) {
  const coffer = startServe(dataDir, { COFFER_PASSPHRASE: passphrase }, '--no-console')
  const { url, keys } = (await coffer.json()) as { url: string; keys: { private: string } | undefined }
  return { coffer, url, key: keys?.private ?? '' }
}

/** Counts the rows of each document table, in a closed vault. */
async function countRows(dataDir: string) {
  await using vault = await openVault({ dataDir, name: 'default', with: { passphrase } })
  await vault.engine.sweeper.sweep()
  return vault.withMaster((master) => {
    const db = openReadOnly(vault.files.database, deriveDatabaseKey(master))
    const countTable = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
    const rows = [countTable('document'), countTable('document_chunk'), countTable('loose_document')]
    db.close()
    return rows
  })
}

test('X-24 X-56 kill -9 during an upload leaves only complete documents', async () => {
  const dataDir = createTempFolder()
  const content = randomBytes(2 * CHUNK_BYTES)
  const { coffer, url, key } = await startWithKey(dataDir)
  const headers = { 'SVC-API-KEY': key, ...multipart }
  const created = await fetch(`${url}/documents`, {
    method: 'POST',
    headers,
    body: createMultipartBody([createDocumentPart(content)]),
  })
  expect(created.status).toBe(202)
  const { id } = (await created.json()) as { id: string }
  const uploads = Array.from({ length: 4 }, (_, at) => {
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(
      `POST /documents HTTP/1.1\r\nHost: ${new URL(url).host}\r\nSVC-API-KEY: ${key}\r\nContent-Type: ${multipart['Content-Type']}\r\nContent-Length: ${DOCUMENT_LIMIT}\r\n\r\n`,
    )
    socket.write(
      createMultipartBody([createDocumentPart(randomBytes((at + 1) * 1_500_000))], '').subarray(0, -2),
    )
    return socket
  })
  // The write-ahead log shows when the first chunks of these uploads are stored.
  const readLogSize = () => readFileSize(path.join(dataDir, 'default', 'vault.db-wal'))
  await expect.poll(readLogSize, { timeout: 30_000 }).toBeGreaterThan(8_000_000)
  coffer.signal('SIGKILL')
  await coffer.ended
  for (const socket of uploads) socket.destroy()
  expect(await countRows(dataDir)).toEqual([1, 2, 0])
  const again = await serveInProcess(['--json', '--no-console', '--data-dir', dataDir], {
    COFFER_PASSPHRASE: passphrase,
  })
  const response = await fetch(`${again.facts.url}/documents/${id}/data`, { headers })
  expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true)
}, 120_000)

/** Returns the peak memory of a process, in MiB. */
function readPeakMemory(pid: number): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

/** A multipart body of 50 MiB that is created while it is sent. */
function createLongBody(): ReadableStream<Uint8Array> {
  const [before, after] = createMultipartBody([createDocumentPart('|')])
    .toString()
    .split('|') as [string, string]
  const piece = randomBytes(1024 * 1024)
  let sent = 0
  return new ReadableStream({
    start: (to) => to.enqueue(Buffer.from(before)),
    pull(to) {
      if (sent < DOCUMENT_LIMIT / piece.length) to.enqueue(Uint8Array.from(piece))
      else {
        to.enqueue(Buffer.from(after))
        to.close()
      }
      sent++
    },
  })
}

test.skipIf(process.platform !== 'linux')(
  'D-01 four parallel transfers of 50 MiB add less than 150 MiB of peak memory',
  { tags: 'thorough', timeout: 120_000 },
  async () => {
    const { coffer, url, key } = await startWithKey(createTempFolder())
    const headers = { 'SVC-API-KEY': key, ...multipart }
    const uploadDocument = async (body: unknown) => {
      const created = await fetch(`${url}/documents`, {
        method: 'POST',
        headers,
        body,
        duplex: 'half',
      } as never)
      return ((await created.json()) as { id: string }).id
    }
    await uploadDocument(createMultipartBody([createDocumentPart(randomBytes(2 * CHUNK_BYTES))]))
    const before = readPeakMemory(coffer.pid)
    const ids = await Promise.all(Array.from({ length: 4 }, () => uploadDocument(createLongBody())))
    const uploaded = readPeakMemory(coffer.pid)
    const lengths = await Promise.all(
      ids.map(async (id) => {
        const response = await fetch(`${url}/documents/${id}/data`, { headers })
        let length = 0
        for await (const piece of response.body as ReadableStream<Uint8Array>) length += piece.length
        return length
      }),
    )
    expect(lengths).toEqual(Array(4).fill(DOCUMENT_LIMIT))
    const downloaded = readPeakMemory(coffer.pid)
    console.log(
      `Peak memory: ${before.toFixed()} MiB, ${uploaded.toFixed()} after the uploads, ${downloaded.toFixed()} after the downloads`,
    )
    expect(downloaded - before).toBeLessThan(150)
  },
)
