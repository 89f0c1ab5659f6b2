import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { owner } from '../../electron/engine/pipeline/call.ts'
import { getFilesIn } from '../../electron/host/files/vault-files.ts'
import { createVaultWithData } from '../../electron/host/initial-data/create-vault-with-data.ts'
import { type Credential, toCredential } from '../../electron/host/keys/credential.ts'
import { protectMaster } from '../../electron/host/keys/protection.ts'
import { newRecoveryKey } from '../../electron/host/keys/recovery-key.ts'
import { createVault } from '../../electron/host/vault/create-vault.ts'
import { createEphemeralVault } from '../../electron/host/vault/ephemeral.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { type EntityChange, everythingChanged } from '../../shared/entity-changes.ts'
import { readFiles } from './read-files.ts'
import { giveToOtherUser, program, runSteps } from './run-steps.ts'

let folder: string
let dataDir: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-test-'))
  dataDir = path.join(folder, 'data')
})
afterEach(() => {
  vi.unstubAllEnvs()
  fs.rmSync(folder, { recursive: true, force: true })
})

const argon2id = { memory_kib: 64, iterations: 1, parallelism: 1 }
const passphrase = 'correct horse'
const name = 'work'

async function createWork(protection = { passphrase, argon2id }) {
  const { vault, recovery_key } = await createVault({ dataDir, name, protection })
  return { vault, recovery_key }
}

const openWork = (credential: Credential) => openVault({ dataDir, name, with: credential })

/** Expects that opening the vault fails with this error and changes no file. */
async function expectRejected(credential: Credential, expected: { code: string; message: RegExp }) {
  const before = readFiles(path.join(dataDir, name))
  const { code, message } = expected
  await expect(openWork(credential)).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
  expect(readFiles(path.join(dataDir, name))).toEqual(before)
}

test('a new vault opens with its passphrase or its recovery key in any case and spacing', async () => {
  const { vault, recovery_key } = await createWork()
  const { tenant_id } = vault.engine
  expect(fs.readdirSync(vault.files.folder)).toEqual(
    expect.arrayContaining(['vault.db', 'vault.db-commits', 'vault.json']),
  )
  if (process.platform !== 'win32') expect(fs.statSync(vault.files.folder).mode & 0o777).toBe(0o700)
  vault.lock()
  expect(fs.readdirSync(vault.files.folder).sort()).toEqual(['vault.db', 'vault.db-commits', 'vault.json'])
  const typed = recovery_key.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o')
  for (const text of [passphrase, typed]) {
    const again = await openWork(toCredential(text))
    expect(again.engine.tenant_id).toBe(tenant_id)
    again.lock()
  }
})

test('X-30 a vault copied to another machine opens there with its recovery key', async () => {
  const { vault, recovery_key } = await createWork()
  vault.lock()
  const elsewhere = path.join(folder, 'elsewhere')
  fs.mkdirSync(elsewhere)
  fs.cpSync(vault.files.folder, path.join(elsewhere, 'copy'), { recursive: true })
  const copy = await openVault({ dataDir: elsewhere, name: 'copy', with: { recovery_key } })
  expect(copy.engine.tenant_id).toBe(vault.engine.tenant_id)
  copy.lock()
})

test('X-26 a wrong credential is rejected with a reason and changes nothing', async () => {
  const { vault, recovery_key } = await createWork()
  vault.lock()
  await expectRejected(
    { passphrase: 'wrong' },
    { code: 'unauthenticated', message: /passphrase is wrong\. Nothing/ },
  )
  const mistyped = toCredential(recovery_key.slice(0, -1))
  await expectRejected(mistyped, { code: 'unauthenticated', message: /compare it with what you wrote down/ })
  const foreign = { recovery_key: newRecoveryKey() }
  await expectRejected(foreign, { code: 'unauthenticated', message: /belongs to another vault/ })
  await expectRejected({ recovery_key: 'ABCD' }, { code: 'invalid', message: /must have 40/ })
  await expectRejected({ keychain: true }, { code: 'invalid', message: /Open it with its passphrase/ })
  const missing = openVault({ dataDir, name: 'other', with: { passphrase } })
  await expect(missing).rejects.toThrow(/There is no vault other .* The folder holds: work\./)
})

test('X-34 wrong passphrases cause growing delays, and a recovery key causes none', async () => {
  const { vault, recovery_key } = await createWork()
  vault.lock()
  const before = readFiles(path.join(dataDir, name))
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      await expect(openWork({ passphrase: 'wrong' })).rejects.toMatchObject({ code: 'unauthenticated' })
    }
    for (let attempt = 0; attempt < 3; attempt++)
      await openWork({ passphrase: 'wrong' }).catch(() => undefined)
    await expect(openWork({ passphrase })).rejects.toMatchObject({ code: 'rate_limited' })
    const rescued = await openWork({ recovery_key })
    rescued.lock()
    vi.advanceTimersByTime(60_000)
    const opened = await openWork({ passphrase })
    opened.lock()
  } finally {
    vi.useRealTimers()
  }
  expect(readFiles(path.join(dataDir, name))['vault.json']).toBe(before['vault.json'])
})

test('a vault is never created over existing files', async () => {
  const { vault } = await createWork()
  vault.lock()
  const before = readFiles(path.join(dataDir, name))
  await expect(createWork()).rejects.toMatchObject({ code: 'conflict' })
  expect(readFiles(path.join(dataDir, name))).toEqual(before)
  fs.rmSync(vault.files.header)
  await expect(createWork()).rejects.toMatchObject({ code: 'conflict' })
  await expectRejected({ passphrase }, { code: 'not_found', message: /There is no .*vault\.json/ })
})

test('a vault that cannot be created leaves nothing behind', async () => {
  await expect(createWork({ passphrase: 'short', argon2id })).rejects.toMatchObject({ code: 'invalid' })
  expect(fs.existsSync(dataDir)).toBe(false)
  const { vault } = await createWork()
  vault.lock()
})

test('a new vault is deleted if its sample data cannot be created', async () => {
  const stored = { dataDir, name, protection: { passphrase, argon2id } }
  const createSamples = () => {
    throw new Error('full')
  }
  await expect(createVaultWithData({ stored, samples: createSamples })).rejects.toThrow('full')
  expect(fs.existsSync(dataDir)).toBe(false)
  const { vault } = await createVaultWithData({ stored })
  vault.lock()
  // An existing vault of that name is not changed.
  await expect(createVaultWithData({ stored, samples: createSamples })).rejects.toThrow('already')
  ;(await openWork({ passphrase })).lock()
})

test('X-26 X-28 a missing, unencrypted, truncated or foreign vault file is rejected', async () => {
  const { vault } = await createWork()
  vault.lock()
  const { database } = vault.files
  const good = fs.readFileSync(database)
  const other = await createVault({ dataDir, name: 'other', protection: { passphrase, argon2id } })
  other.vault.lock()

  fs.rmSync(database)
  await expectRejected({ passphrase }, { code: 'not_found', message: /There is no vault file/ })
  fs.copyFileSync(other.vault.files.database, database)
  await expectRejected({ passphrase }, { code: 'damaged', message: /does not open with this key/ })
  fs.writeFileSync(database, good.subarray(0, -1))
  await expectRejected({ passphrase }, { code: 'damaged', message: /truncated/ })
  fs.rmSync(database)
  const plain = new DatabaseSync(database)
  plain.exec('CREATE TABLE note (text TEXT)')
  plain.close()
  await expectRejected({ passphrase }, { code: 'damaged', message: /unencrypted/ })
  fs.writeFileSync(database, good)
  const opened = await openWork({ passphrase })
  opened.lock()
})

test('X-31 an open vault cannot be opened again until it is locked', async () => {
  const { vault } = await createWork()
  vault.announceUrl('http://127.0.0.1:4747')
  await expect(openWork({ passphrase })).rejects.toThrow(
    /is open in .*listening at http:\/\/127\.0\.0\.1:4747/,
  )
  const [second] = runSteps([{ do: 'open', dataDir, name, with: { passphrase } }], folder)
  expect(second).toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(`process ${process.pid}`),
  })
  await expect(createWork()).rejects.toMatchObject({ code: 'conflict' })
  vault.lock()
  expect(runSteps([{ do: 'open', dataDir, name, with: { passphrase } }], folder)).toEqual([
    { tenant_id: vault.engine.tenant_id },
  ])
})

test('X-35 after a lock the master secret is wiped and the engine rejects calls', async () => {
  const { vault } = await createWork()
  const master = vault.withMaster((secret) => secret)
  expect(master.some((byte) => byte !== 0)).toBe(true)
  vault.lock()
  vault.lock()
  expect(master.every((byte) => byte === 0)).toBe(true)
  await expect(vault.engine.call('tokens.list', {}, { kind: 'owner' })).rejects.toMatchObject({
    code: 'locked',
  })
})

test('after a change only the new passphrase and the recovery key open the vault', async () => {
  const { vault, recovery_key } = await createWork()
  const fresh = { passphrase: 'battery staple', argon2id }
  await vault.withMaster((master) => protectMaster(vault.files.header, master, fresh))
  vault.lock()
  await expectRejected({ passphrase }, { code: 'unauthenticated', message: /wrong/ })
  for (const credential of [fresh, { recovery_key }]) {
    const opened = await openWork(credential)
    opened.lock()
  }
})

test.runIf(process.platform !== 'win32')(
  'X-26 a read-only folder or file is rejected with a reason',
  async () => {
    const { vault } = await createWork()
    vault.lock()
    const openWithoutRights = () =>
      runSteps([{ do: 'drop rights' }, { do: 'open', dataDir, name, with: { passphrase } }], folder)
    const refused = { code: 'unavailable', message: expect.stringContaining('cannot be written') }
    const restore = [folder, dataDir, vault.files.folder].map(
      (each) => [each, fs.statSync(each).mode] as const,
    )
    const { database, header } = vault.files
    for (const each of [database, header, `${vault.files.folder}.lock`]) fs.chmodSync(each, 0o444)
    fs.chmodSync(folder, 0o755)
    fs.chmodSync(vault.files.folder, 0o555)
    fs.chmodSync(dataDir, 0o555)
    const before = readFiles(path.join(dataDir, name))
    expect(openWithoutRights()).toEqual([null, refused])
    fs.chmodSync(dataDir, 0o755)
    giveToOtherUser(dataDir)
    fs.rmSync(`${vault.files.folder}.lock`)
    expect(openWithoutRights()).toEqual([null, refused])
    expect(readFiles(path.join(dataDir, name))).toEqual(before)
    for (const [each, mode] of restore) fs.chmodSync(each, mode)
  },
)

test('an in-memory vault leaves nothing behind after a lock or exit', () => {
  vi.stubEnv('TMPDIR', folder)
  vi.stubEnv('TEMP', folder)
  const vault = createEphemeralVault()
  expect(fs.existsSync(vault.files.database)).toBe(true)
  if (process.platform !== 'win32') expect(fs.statSync(vault.files.folder).mode & 0o777).toBe(0o700)
  vault.lock()
  expect(fs.readdirSync(folder)).toEqual([])
  const [left] = runSteps([{ do: 'ephemeral', stay: false }], folder)
  expect(left).toMatch(/coffer-in-memory-/)
  expect(fs.readdirSync(folder)).toEqual([])
})

test("X-24 the next start removes a killed process's in-memory vault, not one in use", async () => {
  vi.stubEnv('TMPDIR', folder)
  vi.stubEnv('TEMP', folder)
  const startEphemeral = async () => {
    const steps = JSON.stringify([{ do: 'ephemeral', stay: true }])
    const child = spawn(process.execPath, [program, steps], { stdio: ['pipe', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    return { child, folder: JSON.parse(line.toString()) as string }
  }
  const killed = await startEphemeral()
  const alive = await startEphemeral()
  killed.child.kill('SIGKILL')
  await once(killed.child, 'exit')
  expect(fs.existsSync(getFilesIn(killed.folder).database)).toBe(true)
  const vault = createEphemeralVault()
  expect(fs.existsSync(killed.folder)).toBe(false)
  expect(fs.existsSync(getFilesIn(alive.folder).database)).toBe(true)
  vault.lock()
  alive.child.kill('SIGKILL')
  await once(alive.child, 'exit')
  const kept = await createWork()
  kept.vault.lock()
  expect(fs.readdirSync(folder)).toEqual(['data'])
})

test('a write pending during a reset is announced before the reset', async () => {
  const changes: EntityChange[] = []
  const records: string[] = []
  const vault = createEphemeralVault({
    onChanges: (newChanges) => {
      changes.push(...newChanges)
      records.push('changes')
    },
    onLog: () => records.push('records'),
  })
  onTestFinished(() => vault.lock())
  vault.controls?.markInitialState()
  const waiting = vault.engine.as(owner).tokens.create({ id: 'gone', type: 'token', data: 'x' })
  vault.controls?.reset()
  expect((await waiting).id).toBe('gone')
  expect(changes).toEqual([{ entity: 'token', kind: 'created', ids: ['gone'] }, ...everythingChanged])
  expect(records).toEqual(['records', 'changes', 'changes'])
})
