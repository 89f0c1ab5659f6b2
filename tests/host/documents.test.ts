import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { backUpOpenVault } from '../../electron/host/maintenance/back-up.ts'
import { rotateMaster } from '../../electron/host/maintenance/rotate-master.ts'
import { restoreVault } from '../../electron/host/vault/restore-vault.ts'
import type { OpenVault } from '../../electron/host/vault/vault.ts'
import { startCoffer } from '../../electron/testing/start-coffer.ts'
import { CHUNK_BYTES } from '../../shared/schemas/document.ts'
import { createDocumentPart, createMultipartBody, multipart } from '../http/start-documents.ts'
import { makeDocument } from '../make-document.ts'
import { argon2id, createStoredVault, passphrase } from './stored-vault.ts'

const content = randomBytes(2 * CHUNK_BYTES + 1)

const readContent = ({ engine }: OpenVault, id: string) =>
  Buffer.concat([0, 1, 2].map((number) => engine.documents.readChunk(id, number) ?? Buffer.alloc(0)))

test('D-02 a document is readable after a new master secret and after a restore', async () => {
  const { vault, owner, dataDir } = await createStoredVault()
  const id = await makeDocument(owner, content)
  await rotateMaster(vault, { passphrase, argon2id })
  expect(readContent(vault, id).equals(content)).toBe(true)
  const { file } = await backUpOpenVault(vault, { dataDir })
  await owner.documents.remove({ id })
  const restored = await restoreVault({
    file,
    dataDir,
    name: 'then',
    with: { passphrase },
    protection: { passphrase, argon2id },
  })
  onTestFinished(() => restored.lock())
  expect(readContent(restored, id).equals(content)).toBe(true)
})

test('D-02 restoring a snapshot or resetting an in-memory vault includes its documents', async () => {
  const coffer = await startCoffer()
  onTestFinished(() => coffer.close())
  const headers = { 'SVC-API-KEY': coffer.keys.private }
  const requestDocument = (path: string, more: RequestInit = {}) =>
    fetch(`${coffer.url}/documents${path}`, { ...more, headers: { ...headers, ...(more.headers as object) } })
  const created = await requestDocument('', {
    method: 'POST',
    headers: multipart,
    body: createMultipartBody([createDocumentPart(content)]),
  })
  const { id } = (await created.json()) as { id: string }
  const restore = await coffer.snapshot()
  expect((await requestDocument(`/${id}`, { method: 'DELETE' })).status).toBe(204)
  await restore()
  expect(Buffer.from(await (await requestDocument(`/${id}/data`)).arrayBuffer()).equals(content)).toBe(true)
  await coffer.reset()
  expect((await requestDocument(`/${id}`)).status).toBe(404)
})
