import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { readAuthority } from '../../electron/host/authority/authority-record.ts'
import {
  createAuthority,
  inspectAuthority,
  removeAuthority,
  unlockAuthority,
} from '../../electron/host/authority/lasting-authority.ts'
import {
  findKeychainProblem,
  readKeychain,
  storeInKeychain,
  toKeychainEntry,
} from '../../electron/host/keys/keychain.ts'
import { createVault } from '../../electron/host/vault/create-vault.ts'
import build from '../build.ts'
import '../bundled-worker.ts'
import { runCommandLine } from '../cli/in-process.ts'

/** A keychain that misbehaves as a test requests. It replaces only the keychain of the system. */
const keychain = vi.hoisted(() => ({
  stored: new Map<string, Uint8Array>(),
  write: (bytes: Uint8Array): Uint8Array | undefined => bytes,
  failure: undefined as string | undefined,
  options: undefined as unknown,
  reads: 0,
}))

vi.mock('keytar', () => ({
  AsyncEntry: class {
    readonly #account: string
    constructor(_service: string, account: string, options: unknown) {
      this.#account = account
      keychain.options = options
    }
    async setSecret(bytes: Uint8Array) {
      if (keychain.failure) throw new Error(keychain.failure)
      const kept = keychain.write(Uint8Array.from(bytes))
      if (kept) keychain.stored.set(this.#account, kept)
    }
    async getSecret() {
      // Only reads of the key are counted; the commit count has a separate entry.
      if (!this.#account.endsWith(' commits')) keychain.reads++
      if (keychain.failure) throw new Error(keychain.failure)
      const bytes = keychain.stored.get(this.#account)
      return bytes ? [...bytes] : null
    }
    async deleteCredential() {
      if (keychain.failure) throw new Error(keychain.failure)
      return keychain.stored.delete(this.#account)
    }
  },
}))

let folder: string
let bus: net.Server

beforeAll(async () => {
  build()
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-test-'))
  const address = process.platform === 'win32' ? '\\\\.\\pipe\\coffer-test-bus' : path.join(folder, 'bus')
  bus = net.createServer((socket) => socket.end('OK 00\r\n')).listen(address)
  await once(bus, 'listening')
  vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', `unix:path=${address}`)
})
afterEach(() => {
  keychain.stored.clear()
  keychain.write = (bytes) => bytes
  keychain.failure = undefined
})
afterAll(() => {
  bus.close()
  vi.unstubAllEnvs()
  fs.rmSync(folder, { recursive: true, force: true })
})

const secret = Buffer.alloc(32, 7)

test('X-32 only the Secret Service is used, never the volatile kernel keyring', async () => {
  await storeInKeychain(toKeychainEntry('a'), secret)
  expect(keychain.options).toEqual({ linux: { store: 'secret-service' } })
  expect(await readKeychain(toKeychainEntry('a'))).toEqual({ state: 'found', secret })
  expect(await findKeychainProblem()).toBeUndefined()
  expect([...keychain.stored.keys()]).toEqual(['a'])
})

test.each([
  ['stores nothing', () => undefined],
  ['stores another value', (bytes: Uint8Array) => bytes.fill(1)],
  ['stores only a part', (bytes: Uint8Array) => bytes.slice(0, 16)],
  ['stores extra bytes', (bytes: Uint8Array) => Uint8Array.from([...bytes, 0])],
])('X-32 a keychain that %s is detected, and no vault is created', async (_name, write) => {
  keychain.write = write
  await expect(storeInKeychain(toKeychainEntry('a'), secret)).rejects.toThrow(
    /did not store the secret correctly/,
  )
  expect(await findKeychainProblem()).toMatchObject({ code: 'unavailable' })
  const dataDir = path.join(folder, 'data')
  const made = createVault({ dataDir, name: 'work', protection: { keychain: true } })
  await expect(made).rejects.toMatchObject({ code: 'unavailable' })
  expect(fs.readdirSync(dataDir)).toEqual(['work.lock'])
})

test.each([
  [
    'Platform failure: DBus error: The name org.freedesktop.secrets was not provided by any .service files',
    'absent',
  ],
  ["Couldn't access platform storage: Secret Service: no result found", 'absent'],
  ["Couldn't access platform storage: Secret Service: unlock prompt was dismissed", 'locked'],
  ['User interaction is not allowed.', 'locked'],
  ['User canceled the operation.', 'denied'],
  ['Platform failure: Access is denied.', 'denied'],
  ['DBus error: Did not receive a reply. Possible causes include: …', 'silent'],
  ['Something else', 'failed'],
])('X-32 the keychain error "%s" is reported as %s, never as a missing entry', async (words, state) => {
  keychain.failure = words
  expect(await readKeychain(toKeychainEntry('a'))).toEqual({ state })
})

test("X-32 a command reads a vault's key from the keychain only once", async () => {
  const dataDir = path.join(folder, 'once')
  const { vault } = await createVault({ dataDir, name: 'work', protection: { keychain: true } })
  vault.lock()
  const backup = path.join(folder, 'once.coffer-backup')
  const place = ['--data-dir', dataDir, '--vault', 'work']
  for (const command of [
    ['keys', 'list', ...place],
    ['export', '--out', path.join(folder, 'once.ndjson'), ...place],
    ['backup', '--out', backup, ...place],
    ['verify', backup, '--open'],
    ['doctor', '--open', ...place],
    ['recovery-key', ...place],
    ['rotate', 'data', ...place],
  ]) {
    keychain.reads = 0
    const { code, error } = await runCommandLine(...command)
    // A new recovery key creates a new master secret, which is stored and read back once.
    const reads = command[0] === 'recovery-key' ? 2 : 1
    expect([command[0], code, error, keychain.reads]).toEqual([
      command[0],
      expect.any(Number),
      undefined,
      reads,
    ])
  }
})

test('X-33 if a new vault cannot use the keychain, the error gives the actual reason', async () => {
  vi.stubEnv('COFFER_PASSPHRASE', undefined)
  keychain.failure = 'User interaction is not allowed.'
  const made = await runCommandLine('init', '--data-dir', path.join(folder, 'refused'))
  expect(made).toMatchObject({
    code: 1,
    error:
      'The system keychain is locked. Unlock it and try again. There is no terminal to ask for a passphrase. Set COFFER_PASSPHRASE and try again.',
  })
})

test('X-72 the keychain seals the key of a lasting authority, and loses its entry with it', async () => {
  const dataDir = path.join(folder, 'trusting')
  const createKept = () => createAuthority(dataDir, ['api.basistheory.com'], [], { keychain: true })
  const neverAsk = () => Promise.reject(new Error('It was asked for.'))
  // A vault of an earlier test may still write its commit count.
  const countOwn = () => [...keychain.stored.keys()].filter((account) => !account.endsWith(' commits')).length
  const record = await createKept()
  expect(countOwn()).toBe(1)
  expect((await unlockAuthority(record, neverAsk)).names).toEqual(['api.basistheory.com'])
  await expect(createKept()).rejects.toMatchObject({ code: 'conflict' })
  expect(countOwn()).toBe(1)
  // A keychain that does not answer keeps its entry, but the key is destroyed.
  keychain.failure = 'User interaction is not allowed.'
  await expect(unlockAuthority(record, neverAsk)).rejects.toMatchObject({ code: 'locked' })
  expect(await removeAuthority(dataDir)).toEqual({ stores: [], keychain: true })
  expect(readAuthority(dataDir)).not.toHaveProperty('sealed')
  expect(await inspectAuthority(dataDir)).toMatchObject({ state: 'incomplete', key: null })
  keychain.failure = undefined
  expect(await removeAuthority(dataDir)).toEqual({ stores: [], keychain: false })
  expect(countOwn()).toBe(0)
  expect(fs.readdirSync(dataDir)).toEqual([])
  // Killed before the entry was written.
  const unwritten = await createKept()
  keychain.stored.clear()
  await expect(unlockAuthority(unwritten, neverAsk)).rejects.toThrow('holds no key for it')
  expect(await removeAuthority(dataDir)).toEqual({ stores: [], keychain: false })
})
