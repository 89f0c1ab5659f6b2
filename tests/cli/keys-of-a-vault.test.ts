import path from 'node:path'
import { expect, test } from 'vitest'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { createTempFolder } from '../vault.ts'
import { canOpen, runWithEnv } from './in-process.ts'

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
