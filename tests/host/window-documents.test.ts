import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { openReadOnly } from '../../electron/engine/db/open.ts'
import { runCommand } from '../../electron/host/commands/run-command.ts'
import { WindowDocuments } from '../../electron/host/documents/window-documents.ts'
import { Host } from '../../electron/host/host.ts'
import { createVaultWithData } from '../../electron/host/initial-data/create-vault-with-data.ts'
import { TRANSFER_CHUNK_BYTES } from '../../shared/schemas/document.ts'
import { createTempFolder, openVault } from '../vault.ts'

type CommandReply = {
  ok: boolean
  output: {
    upload: string
    document: { id: string } | null
    reading: string
    data: string
    is_last: boolean
  }
  problem: { code: string; errors?: object }
}

async function startHost() {
  const dataDir = createTempFolder()
  const host = new Host({ version: '0', shell: 'console', dataDir, autoLock: false, overrides: { port: 0 } })
  onTestFinished(() => host.close())
  const { vault } = await createVaultWithData({ engine: host.engineOptions })
  host.current.adoptVault(vault)
  const runHostCommand = async (name: string, input: object = {}) =>
    (await runCommand(host, { name, input })) as unknown as CommandReply
  return { host, runHostCommand }
}

type RunHostCommand = Awaited<ReturnType<typeof startHost>>['runHostCommand']

const about = { content_type: 'application/pdf', metadata: { name: 'scan.pdf' } }

async function uploadContent(run: RunHostCommand, content: Buffer, options = about) {
  const { output } = await run('host.beginUpload', { ...options, bytes: content.length })
  for (let at = 0; ; at += TRANSFER_CHUNK_BYTES) {
    const data = content.subarray(at, at + TRANSFER_CHUNK_BYTES).toString('base64')
    const sent = await run('host.sendPiece', { upload: output.upload, data })
    if (!sent.ok || sent.output.document !== null || at >= content.length) return sent
  }
}

async function readAll(run: RunHostCommand, reading: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (;;) {
    const { output } = await run('host.readPiece', { reading })
    pieces.push(Buffer.from(output.data, 'base64'))
    if (output.is_last) return Buffer.concat(pieces)
  }
}

test('D-01 the window transfers documents of any length, and records each reveal', async () => {
  const { runHostCommand, host } = await startHost()
  const lengths = [
    0,
    1,
    TRANSFER_CHUNK_BYTES - 1,
    TRANSFER_CHUNK_BYTES,
    TRANSFER_CHUNK_BYTES + 1,
    2 * TRANSFER_CHUNK_BYTES + 300_000,
  ]
  for (const length of lengths) {
    const content = randomBytes(length)
    const { output } = await uploadContent(runHostCommand, content)
    const { id = '' } = output.document ?? {}
    expect(output.document).toMatchObject(about)
    const { output: shown } = await runHostCommand('host.revealDocument', { id })
    expect(shown).toMatchObject({ bytes: length, document: { id } })
    const { output: log } = await runHostCommand('logs.list', { entity_id: id })
    expect(log.data).toMatchObject([{ action: 'documents.revealToOwner' }, { action: 'documents.create' }])
    expect((await readAll(runHostCommand, shown.reading)).equals(content)).toBe(true)
    expect((await runHostCommand('host.readPiece', { reading: shown.reading })).problem.code).toBe(
      'not_found',
    )
  }
  expect((await runHostCommand('documents.newest', { size: 2 })).output.data).toMatchObject([
    { bytes: lengths.at(-1), seq: 6 },
    { bytes: lengths.at(-2), seq: 5 },
  ])
  expect((await runHostCommand('documents.newest', { size: 2, before: 2 })).output.data).toMatchObject([
    { bytes: 0 },
  ])
  const bytes = lengths.reduce((sum, each) => sum + each)
  expect((await runHostCommand('documents.count')).output).toEqual({ documents: 6, bytes, complete: true })
  const wrong = [
    { ...about, bytes: 50 * 1024 * 1024 + 1 },
    { ...about, bytes: 1, content_type: 'text/html\r\nSet-Cookie: a=b' },
    { ...about, bytes: 1, metadata: { '': 'x' } },
  ]
  for (const each of wrong)
    expect((await runHostCommand('host.beginUpload', each)).problem.code).toBe('invalid')
  host.lock()
  expect((await runHostCommand('host.beginUpload', { ...about, bytes: 1 })).problem.code).toBe('locked')
})

test('X-56 a rejected, cancelled or interrupted upload leaves no data', async () => {
  const vault = openVault()
  let isOpen = true
  const documents = new WindowDocuments(() => (isOpen ? vault.engine : null))
  const data = Buffer.alloc(TRANSFER_CHUNK_BYTES).toString('base64')
  const startUpload = (bytes = 3 * TRANSFER_CHUNK_BYTES) => documents.startUpload({ ...about, bytes }).upload
  // Each of these chunks has an invalid length.
  for (const wrong of ['', 'AAAA', data.slice(0, 400)]) {
    const upload = startUpload()
    expect(await catchCode(documents.receiveChunk({ upload, data: wrong }))).toBe('invalid')
  }
  const cancelled = startUpload()
  expect(await documents.receiveChunk({ upload: cancelled, data })).toEqual({ document: null })
  documents.endUpload(cancelled)
  expect(await catchCode(documents.receiveChunk({ upload: cancelled, data }))).toBe('not_found')
  // One upload is cancelled while a chunk is being stored, and another one gets two chunks at once.
  const busy = startUpload()
  const sending = documents.receiveChunk({ upload: busy, data })
  documents.endUpload(busy)
  expect(await catchCode(sending)).toBe('cancelled')
  const twice = startUpload()
  const both = [
    documents.receiveChunk({ upload: twice, data }),
    documents.receiveChunk({ upload: twice, data }),
  ]
  expect(await Promise.all(both.map(catchCode))).toEqual(['cancelled', 'conflict'])
  // At most eight uploads are possible at the same time.
  const all = Array.from({ length: 8 }, () => startUpload())
  expect(() => startUpload()).toThrow('Too many uploads')
  for (const upload of all) await documents.receiveChunk({ upload, data })
  isOpen = false
  expect(await Promise.all(all.map((upload) => catchCode(documents.receiveChunk({ upload, data }))))).toEqual(
    all.map(() => 'locked'),
  )
  await vault.engine.sweeper.sweep()
  const db = openReadOnly(vault.file, deriveDatabaseKey(vault.master))
  onTestFinished(() => void db.close())
  for (const table of ['document', 'document_chunk', 'loose_document'])
    expect(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()).toBe(0)
})

async function catchCode(response: Promise<unknown>): Promise<string> {
  return response.then(
    () => 'answered',
    ({ code }: { code: string }) => code,
  )
}

test('D-01 a document read ends at a lock, a deletion or the start of the 8th newer read', async () => {
  const { runHostCommand, host } = await startHost()
  const { output } = await uploadContent(runHostCommand, Buffer.alloc(3 * TRANSFER_CHUNK_BYTES, 7))
  const { id = '' } = output.document ?? {}
  const revealDocument = async () => (await runHostCommand('host.revealDocument', { id })).output.reading
  const oldest = await revealDocument()
  const others: string[] = []
  for (let at = 0; at < 8; at++) others.push(await revealDocument())
  expect((await runHostCommand('host.readPiece', { reading: oldest })).problem.code).toBe('not_found')
  const [one = '', two = ''] = others
  expect((await runHostCommand('host.readPiece', { reading: one })).output.is_last).toBe(false)
  await runHostCommand('documents.remove', { id })
  expect((await runHostCommand('host.readPiece', { reading: one })).problem.code).toBe('not_found')
  expect((await runHostCommand('host.revealDocument', { id })).problem.code).toBe('not_found')
  host.lock()
  expect((await runHostCommand('host.readPiece', { reading: two })).problem.code).toBe('locked')
})
