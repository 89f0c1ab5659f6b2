import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { expect, test } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { openDatabase, openReadOnly } from '../../electron/engine/db/open.ts'
import { checkDocuments } from '../../electron/engine/files/check-documents.ts'
import { CHUNK_BYTES } from '../../shared/schemas/document.ts'
import { getMaxBlock, measureLongestBlock } from '../longest-block.ts'
import { makeDocument } from '../make-document.ts'
import { catchProblem, openBriefVault, openVault } from '../vault.ts'
import type { TestVault } from './vault-helpers.ts'

function readContent({ engine }: TestVault, id: string): Buffer {
  const chunks: Buffer[] = []
  for (let number = 0; chunks.length === number; number++) {
    const chunk = engine.documents.readChunk(id, number)
    if (chunk) chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function readDatabase<T>({ file, master }: TestVault, use: (db: ReturnType<typeof openReadOnly>) => T): T {
  const db = openReadOnly(file, deriveDatabaseKey(master))
  try {
    return use(db)
  } finally {
    db.close()
  }
}

test('D-02 R-03 key rotation re-encrypts every chunk in short turns', async () => {
  const vault = openVault()
  const contents = [0, 4, 16].map((chunks) => randomBytes(chunks * CHUNK_BYTES + 3))
  const ids: string[] = []
  for (const content of contents) ids.push(await makeDocument(vault.owner, content))
  const { block } = await measureLongestBlock(() => vault.engine.lifecycle.rotateDataKey(vault.master))
  expect(block).toBeLessThan(getMaxBlock(block))
  const versions = readDatabase(vault, (db) =>
    db.prepare('SELECT DISTINCT key_version, hex(substr(data, 1, 4)) AS sealed FROM document_chunk').all(),
  )
  expect(versions).toEqual([{ key_version: 2, sealed: '00000002' }])
  vault.reopen()
  for (const [at, id] of ids.entries())
    expect(readContent(vault, id).equals(contents[at] as Buffer)).toBe(true)
}, 30_000)

test('D-02 deleting a document frees its disk space', async () => {
  const vault = openVault()
  await vault.owner.tokens.create({ type: 'token', data: 'stays' })
  const id = await makeDocument(vault.owner, randomBytes(24 * 1024 * 1024))
  vault.reopen()
  const before = fs.statSync(vault.file).size
  expect(before).toBeGreaterThan(24 * 1024 * 1024)
  await vault.owner.documents.remove({ id })
  const { block } = await measureLongestBlock(() => vault.engine.sweeper.sweep())
  expect(block).toBeLessThan(getMaxBlock(block))
  const left = readDatabase(vault, (db) => db.prepare('SELECT count(*) FROM document_chunk').pluck().get())
  expect(left).toBe(0)
  vault.reopen()
  expect(fs.statSync(vault.file).size).toBeLessThan(before / 4)
}, 30_000)

test('D-02 a document with missing chunks is detected', async () => {
  const vault = openVault()
  await makeDocument(vault.owner, Buffer.alloc(0))
  await makeDocument(vault.owner, randomBytes(2 * CHUNK_BYTES))
  const id = await makeDocument(vault.owner, randomBytes(2 * CHUNK_BYTES + 1))
  expect(readDatabase(vault, checkDocuments)).toEqual({ whole: 3, broken: 0 })
  for (const number of [2, 0]) {
    const db = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
    db.prepare('DELETE FROM document_chunk WHERE document_id = ? AND number = ?').run(id, number)
    db.close()
    expect(readDatabase(vault, checkDocuments)).toEqual({ whole: 2, broken: 1 })
  }
})

test('D-01 chunks must arrive in order, under an unused id', async () => {
  const { owner } = openBriefVault()
  const taken = await makeDocument(owner)
  const chunk = { data: Buffer.alloc(CHUNK_BYTES), last: null }
  const last = { content_type: 'a/b', metadata: {} }
  const id = 'ffffffff-ffff-4fff-bfff-ffffffffffff'
  const getErrorStatus = async (input: object) =>
    (await catchProblem(owner.documents.create(input as never))).status
  expect(await getErrorStatus({ ...chunk, id: taken, number: 0 })).toBe(409)
  expect(await getErrorStatus({ ...chunk, id: taken, number: 1 })).toBe(503)
  expect(await getErrorStatus({ ...chunk, id, number: 1 })).toBe(503)
  await owner.documents.create({ ...chunk, id, number: 0 })
  expect(await getErrorStatus({ ...chunk, id, number: 0 })).toBe(409)
  expect(await getErrorStatus({ ...chunk, id, number: 2, last })).toBe(503)
  expect(await getErrorStatus({ ...chunk, id, number: 1, data: Buffer.alloc(5) })).toBe(400)
  expect(await getErrorStatus({ ...chunk, id, number: 1, data: Buffer.alloc(CHUNK_BYTES + 1) })).toBe(400)
  expect(await getErrorStatus({ ...chunk, id, number: 200, last })).toBe(400)
  expect(await catchProblem(owner.documents.get({ id }))).toMatchObject({ status: 404 })
  expect(await owner.documents.create({ ...chunk, id, number: 1, last })).toMatchObject({ id })
})
