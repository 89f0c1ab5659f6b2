import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readKeychain, toKeychainEntry } from '../../electron/host/keys/keychain.ts'
import { findBusSocket } from '../../electron/host/keys/session-bus.ts'
import { readFiles } from './read-files.ts'
import { runInSession } from './run-steps.ts'

const linux = process.platform === 'linux'
if (!linux) console.log('The keychain tests need a Secret Service of their own, which only Linux can start.')

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

const unlocked = { unlocked_with: 'pw' }

describe.runIf(linux)('the keychain, with a real Secret Service', () => {
  test('X-32 stores a binary secret across sessions and reports a missing or locked one', () => {
    const account = randomUUID()
    const hex = randomBytes(32).toString('hex')
    const first = runInSession(folder, unlocked, [
      { do: 'read', account },
      { do: 'store', account, hex },
      { do: 'read', account },
      { do: 'problem' },
    ])
    expect(first).toEqual([{ state: 'empty' }, null, { state: 'found', hex }, 'none'])
    const [read, stored, removed] = runInSession(folder, 'locked', [
      { do: 'read', account },
      { do: 'store', account, hex: '00' },
      { do: 'remove', account },
    ])
    expect(read).toEqual({ state: 'locked' })
    expect(stored).toMatchObject({ code: 'unavailable', message: expect.stringContaining('locked') })
    expect(removed).toBe(false)
    const second = runInSession(folder, unlocked, [
      { do: 'read', account },
      { do: 'remove', account },
      { do: 'read', account },
      { do: 'remove', account },
    ])
    expect(second).toEqual([{ state: 'found', hex }, true, { state: 'empty' }, true])
  })

  test('X-32 can be used again after it restarts', () => {
    const account = randomUUID()
    const hex = randomBytes(32).toString('hex')
    const store = { do: 'store', account, hex } as const
    const read = { do: 'read', account } as const
    const restart = { do: 'restart keychain', password: 'pw' } as const
    const found = { state: 'found', hex }
    expect(runInSession(folder, unlocked, [store, read, restart, read, restart, store, read])).toEqual([
      null,
      found,
      0,
      found,
      0,
      null,
      found,
    ])
  })

  test('X-32 is reported as absent without a session bus or Secret Service', async () => {
    const account = randomUUID()
    vi.stubEnv('XDG_RUNTIME_DIR', path.join(folder, 'run'))
    for (const address of [undefined, 'unix:path=/nonexistent']) {
      vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', address)
      expect(await readKeychain(toKeychainEntry(account))).toEqual({ state: 'absent' })
    }
    const [read, created] = runInSession(folder, 'none', [
      { do: 'read', account },
      { do: 'create', dataDir, name: 'work', protection: { keychain: true } },
    ])
    expect(read).toEqual({ state: 'absent' })
    expect(created).toMatchObject({ code: 'unavailable' })
    expect(fs.readdirSync(dataDir)).toEqual(['work.lock'])
  })

  test('X-32 X-33 a vault whose keychain entry is missing is not recreated and opens with the recovery key', () => {
    const vault = { dataDir, name: 'work' }
    const keychain = { keychain: true } as const
    const [created] = runInSession(folder, unlocked, [{ do: 'create', ...vault, protection: keychain }])
    const { recovery_key } = created as { recovery_key: string }
    const before = readFiles(dataDir)

    const elsewhere = path.join(folder, 'elsewhere')
    const refused = { code: 'locked', message: expect.stringContaining('recovery key') }
    const locked = runInSession(folder, 'locked', [{ do: 'open', ...vault, with: keychain }])
    expect(locked).toMatchObject([refused])
    const { vault_id } = JSON.parse(fs.readFileSync(path.join(dataDir, 'work', 'vault.json'), 'utf8'))
    const again = runInSession(elsewhere, unlocked, [
      { do: 'open', ...vault, with: keychain },
      { do: 'situation', ...vault },
      { do: 'create', ...vault, protection: keychain },
      { do: 'read', account: vault_id },
      { do: 'store', account: vault_id, hex: '11'.repeat(32) },
      { do: 'situation', ...vault },
      { do: 'open', ...vault, with: keychain },
      { do: 'read', account: vault_id },
    ])
    expect(again).toEqual([
      expect.objectContaining(refused),
      {
        vault: 'keychain',
        keychain: false,
        keychain_problem: expect.stringMatching(/holds no key for this vault.*recovery key/),
        terminal: false,
        environment: false,
      },
      expect.objectContaining({ code: 'conflict' }),
      { state: 'empty' },
      null,
      {
        vault: 'keychain',
        keychain: false,
        keychain_problem: expect.stringContaining('does not belong to this vault'),
        terminal: false,
        environment: false,
      },
      expect.objectContaining({
        code: 'locked',
        message: expect.stringContaining('does not belong to this vault'),
      }),
      { state: 'found', hex: '11'.repeat(32) },
    ])
    const untouched = path.join(folder, 'untouched')
    const rescued = runInSession(elsewhere, 'none', [
      { do: 'open', ...vault, with: keychain },
      { do: 'copy', from: dataDir, to: untouched },
      { do: 'open', ...vault, with: { recovery_key } },
    ])
    expect(rescued).toEqual([expect.objectContaining(refused), null, { tenant_id: vault_id }])
    expect(readFiles(untouched)).toEqual(before)

    // The vault moves to a passphrase and back. The keychain never contains more than the vault needs.
    const passphrase = { passphrase: 'correct horse' }
    const cheap = { ...passphrase, argon2id: { memory_kib: 64, iterations: 1, parallelism: 1 } }
    const results = runInSession(folder, unlocked, [
      { do: 'open', ...vault, with: keychain },
      { do: 'protect', ...vault, with: keychain, protection: cheap },
      { do: 'read', account: vault_id },
      { do: 'open', ...vault, with: keychain },
      { do: 'open', ...vault, with: passphrase },
      { do: 'protect', ...vault, with: passphrase, protection: keychain },
      { do: 'open', ...vault, with: passphrase },
      { do: 'open', ...vault, with: keychain },
    ])
    expect(results).toMatchObject([
      { tenant_id: vault_id },
      'done',
      { state: 'empty' },
      { code: 'invalid' },
      { tenant_id: vault_id },
      'done',
      { code: 'invalid' },
      { tenant_id: vault_id },
    ])
  })

  test('X-33 an entry left over from a move to the passphrase is removed at a later opening', {
    tags: 'thorough',
  }, () => {
    const vault = { dataDir, name: 'work' }
    const [created] = runInSession(folder, unlocked, [
      { do: 'create', ...vault, protection: { keychain: true } },
    ])
    const { recovery_key } = created as { recovery_key: string }
    const passphrase = 'correct horse'
    const argon2id = { memory_kib: 64, iterations: 1, parallelism: 1 }
    const { vault_id } = JSON.parse(fs.readFileSync(path.join(dataDir, 'work', 'vault.json'), 'utf8'))
    const moved = runInSession(folder, 'none', [
      { do: 'protect', ...vault, with: { recovery_key }, protection: { passphrase, argon2id } },
      { do: 'open', ...vault, with: { passphrase } },
    ])
    expect(moved).toEqual(['done', { tenant_id: vault_id }])
    const later = runInSession(folder, unlocked, [
      { do: 'read', account: vault_id },
      { do: 'open', ...vault, with: { passphrase } },
      { do: 'read', account: vault_id },
    ])
    expect(later).toMatchObject([{ state: 'found' }, { tenant_id: vault_id }, { state: 'empty' }])
  })
})

test.runIf(linux)('X-32 a session bus that hangs is distinguished from an absent one', async () => {
  const address = path.join(folder, 'bus')
  const sockets: net.Socket[] = []
  const server = net.createServer((socket) => sockets.push(socket)).listen(address)
  await once(server, 'listening')
  vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', `unix:path=${address}`)
  expect(await readKeychain(toKeychainEntry('any'))).toEqual({ state: 'silent' })
  for (const socket of sockets) socket.destroy()
  server.close()
  await once(server, 'close')
  expect(await readKeychain(toKeychainEntry('any'))).toEqual({ state: 'absent' })
})

test.each([
  [{ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus,guid=aa' }, '/run/user/1000/bus'],
  [{ DBUS_SESSION_BUS_ADDRESS: 'tcp:host=x;unix:guid=aa,abstract=/tmp/a%2cb' }, '\0/tmp/a,b'],
  [{ DBUS_SESSION_BUS_ADDRESS: 'autolaunch:' }, undefined],
  [{}, undefined],
])('X-32 the session bus is found in %j', (env, socket) => {
  expect(findBusSocket(env)).toBe(socket)
})
