import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, expect, test } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { openConnection } from '../../electron/engine/db/open.ts'
import { Engine } from '../../electron/engine/engine.ts'
import { diagnoseVault } from '../../electron/host/doctor.ts'
import { createVault } from '../../electron/host/vault/create-vault.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { digestFolder } from '../soak/damage-log.ts'
import { isThorough } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { copyMaster } from './stored-vault.ts'

const name = 'work'
const owner = { kind: 'owner' } as const
const protection = {
  passphrase: 'the right passphrase',
  argon2id: { memory_kib: 64, iterations: 1, parallelism: 1 },
}

/** The folder of a vault that was killed while SQLite changed the journal mode of its file. */
const sourceFolder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-test-'))
const killed = makeKilled()
afterAll(() => fs.rmSync(sourceFolder, { recursive: true, force: true }))

/** Returns a copy of that vault. */
async function copyKilledVault() {
  const dataDir = path.join(createTempFolder(), 'data')
  const { from, files } = await killed
  fs.cpSync(from, dataDir, { recursive: true })
  const toCopiedPath = (file: string) => path.join(dataDir, path.relative(from, file))
  return { dataDir, files: { folder: toCopiedPath(files.folder), database: toCopiedPath(files.database) } }
}

async function makeKilled() {
  const dataDir = path.join(sourceFolder, 'data')
  const { vault } = await createVault({ dataDir, name, protection })
  await vault.engine.call('tokens.create', { id: 'kept', type: 'token', data: 'kept' }, owner)
  const master = copyMaster(vault)
  vault.lock()
  const { database } = vault.files
  await (isThorough ? catchKilled(database, master) : restoreJournal(database, master))
  return { from: dataDir, files: vault.files }
}

/**
 * Opens the vault repeatedly until another thread has copied it during the change of the journal mode. This depends on
 * timing and takes seconds.
 */
async function catchKilled(file: string, master: Buffer): Promise<void> {
  const copy = path.join(sourceFolder, 'vault.db')
  const found = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(path.join(import.meta.dirname, 'copy-journal-child.ts'), {
    workerData: { file, copy, found },
  })
  for (let times = 0; times < 20_000 && Atomics.load(found, 0) === 0; times++) {
    Engine.open(file, master).close()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await worker.terminate()
  expect(Atomics.load(found, 0)).toBe(1)
  for (const end of ['', '-journal', '-commits']) fs.renameSync(copy + end, file + end)
}

/**
 * Makes SQLite keep the journal and only overwrite its header when a change is complete, and then restores that header.
 * See https://www.sqlite.org/fileformat.html#the_rollback_journal
 */
function restoreJournal(file: string, master: Buffer): void {
  let pages = 0
  const db = openConnection(file, deriveDatabaseKey(master), (db) => {
    db.pragma('journal_mode = WAL')
    pages = Number(db.pragma('page_count', { simple: true }))
    db.pragma('journal_mode = PERSIST')
  })
  const journal = fs.readFileSync(`${file}-journal`)
  db.close()
  const [SECTOR, PAGE] = [512, 4096]
  expect([journal.length, journal.readUInt32BE(0), journal.readUInt32BE(SECTOR)]).toEqual([
    SECTOR + 4 + PAGE + 4,
    0,
    1,
  ])
  const page = journal.subarray(SECTOR + 4, SECTOR + 4 + PAGE)
  let nonce = journal.readUInt32BE(SECTOR + 4 + PAGE)
  for (let at = PAGE - 200; at > 0; at -= 200) nonce = (nonce - page.readUInt8(at)) >>> 0
  Buffer.from('d9d505f920a163d7', 'hex').copy(journal)
  for (const [index, value] of [1, nonce, pages, SECTOR, PAGE].entries()) {
    journal.writeUInt32BE(value, 8 + 4 * index)
  }
  fs.writeFileSync(`${file}-journal`, journal)
}

const openCopy = (dataDir: string) => openVault({ dataDir, name, with: protection })

test('X-24 a vault killed during a change of journal mode opens without loss', async () => {
  const { dataDir, files } = await copyKilledVault()
  const vault = await openCopy(dataDir)
  const { output } = await vault.engine.call('tokens.reveal', { id: 'kept' }, owner)
  expect(output).toMatchObject({ data: 'kept' })
  vault.lock()
  expect(fs.readdirSync(files.folder).sort()).toEqual(['vault.db', 'vault.db-commits', 'vault.json'])
})

test('X-77 a vault whose power was cut while the journal got its header opens without loss', async () => {
  const { dataDir, files } = await copyKilledVault()
  const journal = `${files.database}-journal`
  // SQLite writes the magic number and the number of pages last.
  fs.writeFileSync(journal, fs.readFileSync(journal).fill(1, 0, 12))
  const vault = await openCopy(dataDir)
  const { output } = await vault.engine.call('tokens.reveal', { id: 'kept' }, owner)
  expect(output).toMatchObject({ data: 'kept' })
  vault.lock()
})

test('X-77 copies that an interrupted opening left behind are removed', async () => {
  const { dataDir, files } = await copyKilledVault()
  ;(await openCopy(dataDir)).lock()
  for (const end of ['.trial', '.trial-wal', '.alone']) fs.writeFileSync(files.database + end, '')
  ;(await openCopy(dataDir)).lock()
  expect(fs.readdirSync(files.folder).sort()).toEqual(['vault.db', 'vault.db-commits', 'vault.json'])
})

test('X-47 doctor and a wrong passphrase do not change a vault with a hot journal', async () => {
  const { dataDir, files } = await copyKilledVault()
  const before = digestFolder(files.folder)
  const findings = await diagnoseVault({ dataDir, name, now: Date.now() })
  expect(findings).toContainEqual(
    expect.objectContaining({ about: 'file', text: expect.stringContaining('Open the vault once') }),
  )
  await expect(openVault({ dataDir, name, with: { passphrase: 'another one' } })).rejects.toThrow(/wrong/)
  expect(digestFolder(files.folder)).toEqual(before)
})

test('X-47 a vault with an altered or longer rollback journal is rejected and not changed', async () => {
  const { dataDir, files } = await copyKilledVault()
  const journal = `${files.database}-journal`
  const sound = fs.readFileSync(journal)
  const second = Buffer.from(sound)
  second.writeUInt32BE(2, 512)
  const altered = Buffer.from(sound).fill(1, 1000, 3000)
  for (const other of [second, altered, Buffer.concat([sound, randomBytes(4104)])]) {
    fs.writeFileSync(journal, other)
    const before = digestFolder(files.folder)
    await expect(openCopy(dataDir)).rejects.toThrow()
    expect(digestFolder(files.folder)).toEqual(before)
  }
  fs.writeFileSync(journal, sound)
  ;(await openCopy(dataDir)).lock()
})
