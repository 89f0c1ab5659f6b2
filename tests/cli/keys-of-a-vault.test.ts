import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openControlSocket } from '../../electron/host/control/serve-control.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import manifest from '../../package.json' with { type: 'json' }
import { startHost, storedVault } from '../host/start-host.ts'
import { createTempFolder } from '../vault.ts'
import { canOpen, runWithEnv } from './in-process.ts'
import { startServe } from './run-coffer.ts'

const unix = test.runIf(process.platform !== 'win32')

test('W-03 the signing key is rotated in two steps, with both keys published', async () => {
  const dataDir = path.join(createTempFolder(), 'data')
  const env = { COFFER_PASSPHRASE: 'correct horse' }
  const rotateSigningKey = async (...args: string[]) => {
    const run = await runWithEnv(env, 'rotate', 'signing-key', '--data-dir', dataDir, '--json', ...args)
    return { answer: JSON.parse(run.out), status: run.code }
  }
  const readPublicKeys = async () => {
    const vault = await openVault({ dataDir, name: 'default', with: { passphrase: env.COFFER_PASSPHRASE } })
    const page = await vault.engine.outbox.getPublicKeys()
    vault.lock()
    return page.split(/(?<=END PUBLIC KEY-----\n)/)
  }
  expect((await runWithEnv(env, 'init', '--data-dir', dataDir, '--json')).code).toBe(0)
  const [old] = await readPublicKeys()
  expect(await rotateSigningKey('--finish')).toMatchObject({
    answer: { error: { code: 'conflict' } },
    status: 1,
  })
  expect(await rotateSigningKey()).toEqual({
    answer: { rotated: 'signing-key', state: 'published' },
    status: 0,
  })
  const [first, next] = await readPublicKeys()
  expect(first).toBe(old)
  expect(await rotateSigningKey('--finish')).toEqual({
    answer: { rotated: 'signing-key', state: 'signs' },
    status: 0,
  })
  expect(await readPublicKeys()).toEqual([next])
})

test('commands replace keys, recovery key and passphrase, and the old ones stop working', async () => {
  const dataDir = path.join(createTempFolder(), 'data')
  const place = ['--data-dir', dataDir, '--json']
  const COFFER_PASSPHRASE = 'correct horse'
  const runCoffer = async (args: string[], env: Record<string, string> = {}) => {
    const { code, out } = await runWithEnv({ COFFER_PASSPHRASE, ...env }, ...args, ...place)
    expect(code).toBe(0)
    return JSON.parse(out)
  }
  const { recovery_key: first } = await runCoffer(['init'])
  expect(await runCoffer(['rotate', 'data'])).toEqual({ rotated: 'data' })
  const { recovery_key: second } = await runCoffer(['rotate', 'master'])
  const { recovery_key: third } = await runCoffer(['recovery-key'])
  const COFFER_NEW_PASSPHRASE = 'battery staple'
  await runCoffer(['passphrase'], { COFFER_NEW_PASSPHRASE })
  for (const recovery_key of [first, second]) expect(await canOpen(dataDir, { recovery_key })).toBe(false)
  expect(await canOpen(dataDir, { recovery_key: third })).toBe(true)
  expect(await canOpen(dataDir, { passphrase: COFFER_PASSPHRASE })).toBe(false)
  expect(await canOpen(dataDir, { passphrase: COFFER_NEW_PASSPHRASE })).toBe(true)
  // Without a keychain, `protect keychain` fails and the passphrase stays valid.
  const secret = { COFFER_PASSPHRASE: COFFER_NEW_PASSPHRASE }
  const refused = await runWithEnv(secret, 'protect', 'keychain', ...place)
  expect(refused).toMatchObject({ code: 1, notes: expect.stringMatching(/^coffer: .*keychain/m) })
  expect(await canOpen(dataDir, { passphrase: COFFER_NEW_PASSPHRASE })).toBe(true)
})

unix(
  'X-64 commands replace passphrase, master secret and recovery key of a vault that is being served',
  async () => {
    const dataDir = path.join(createTempFolder(), 'data')
    const COFFER_PASSPHRASE = 'correct horse battery staple'
    const coffer = startServe(dataDir, { COFFER_PASSPHRASE })
    const { recovery_key: first, url, keys } = await coffer.json()
    const runOnServed = async (args: string[], env: Record<string, string> = {}) => {
      const run = await runWithEnv({ COFFER_PASSPHRASE, ...env }, ...args, '--data-dir', dataDir, '--json')
      return JSON.parse(run.out)
    }
    expect(await runOnServed(['passphrase'], { COFFER_NEW_PASSPHRASE: 'password1234' })).toEqual({
      error: { code: 'invalid', message: expect.stringContaining('too easy to guess') },
    })
    const next = { COFFER_NEW_PASSPHRASE: 'staple battery horse correct' }
    expect(await runOnServed(['passphrase'], next)).toEqual({ protection: 'passphrase' })
    expect(await runOnServed(['passphrase'], next)).toMatchObject({ error: { code: 'unauthenticated' } })
    const now = { COFFER_PASSPHRASE: next.COFFER_NEW_PASSPHRASE }
    const { recovery_key: second } = await runOnServed(['rotate', 'master', '--renew-fingerprints'], now)
    const { recovery_key: third } = await runOnServed(['recovery-key', '--keep-master'], now)
    expect(await runOnServed(['protect', 'keychain'], now)).toMatchObject({ error: { code: 'unavailable' } })
    const headers = { 'SVC-API-KEY': keys.private }
    expect((await fetch(`${url}/tokens`, { headers })).status).toBe(200)
    coffer.stop()
    await coffer.ended
    for (const recovery_key of [first, second]) expect(await canOpen(dataDir, { recovery_key })).toBe(false)
    for (const credential of [{ recovery_key: third }, { passphrase: now.COFFER_PASSPHRASE }])
      expect(await canOpen(dataDir, credential)).toBe(true)
  },
)

unix.each([
  [
    'progress',
    'the old',
    /ended during the change\. Nothing was changed: the vault opens as before\. Run the/,
  ],
  ['ended', 'the new', /ended during the change, but the change is complete\.$/m],
] as const)(
  'X-24 if Coffer ends at %s of a change over the socket, %s passphrase opens the vault',
  async (at, which, sentence) => {
    const { host, dataDir, window } = startHost({ version: manifest.version })
    const closeSocket = await openControlSocket(host)
    onTestFinished(closeSocket)
    await window.host.createVault({ ...storedVault, name: 'default', sample_data: false })
    host.subscribe((event) => {
      if (event.type !== at || event.job !== 'rotate master') return
      closeSocket()
      host.lock()
    })
    const old = storedVault.protection.passphrase
    const env = { COFFER_PASSPHRASE: old, COFFER_NEW_PASSPHRASE: 'staple battery horse correct' }
    const { code, notes } = await runWithEnv(env, 'passphrase', '--data-dir', dataDir)
    expect([code, notes]).toEqual([which === 'the old' ? 1 : 0, expect.stringMatching(sentence)])
    expect(await canOpen(dataDir, { passphrase: old })).toBe(which === 'the old')
    expect(await canOpen(dataDir, { passphrase: env.COFFER_NEW_PASSPHRASE })).toBe(which === 'the new')
  },
)
