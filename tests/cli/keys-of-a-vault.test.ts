import path from 'node:path'
import { expect, test } from 'vitest'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { tempFolder } from '../vault.ts'
import { startCoffer } from './run-coffer.ts'

test('W-03 the signing key of webhooks is changed in two steps, and the page holds both keys between them', async () => {
  const dataDir = path.join(tempFolder(), 'data')
  const env = { COFFER_PASSPHRASE: 'correct horse' }
  const rotate = async (...args: string[]) => {
    const run = startCoffer(['rotate', 'signing-key', '--data-dir', dataDir, '--json', ...args], env)
    return { answer: await run.json(), status: await run.ended }
  }
  const keys = async () => {
    const vault = await openVault({ dataDir, name: 'default', with: { passphrase: env.COFFER_PASSPHRASE } })
    const page = await vault.engine.outbox.publicKeys()
    vault.lock()
    return page.split(/(?<=END PUBLIC KEY-----\n)/)
  }
  const init = startCoffer(['init', '--data-dir', dataDir, '--json'], env)
  expect(await init.ended).toBe(0)
  const [old] = await keys()
  expect(await rotate('--finish')).toMatchObject({ answer: { error: { code: 'conflict' } }, status: 1 })
  expect(await rotate()).toEqual({ answer: { rotated: 'signing-key', state: 'published' }, status: 0 })
  const [first, next] = await keys()
  expect(first).toBe(old)
  expect(await rotate('--finish')).toEqual({ answer: { rotated: 'signing-key', state: 'signs' }, status: 0 })
  expect(await keys()).toEqual([next])
})

test('keys, recovery key and passphrase are changed from the command line; what they replace opens nothing', async () => {
  const dataDir = path.join(tempFolder(), 'data')
  const place = ['--data-dir', dataDir, '--json']
  const COFFER_PASSPHRASE = 'correct horse'
  const coffer = async (args: string[], env: Record<string, string> = {}) => {
    const run = startCoffer([...args, ...place], { COFFER_PASSPHRASE, ...env })
    const answer = await run.json()
    expect(await run.ended).toBe(0)
    return answer
  }
  const opens = async (credential: { passphrase: string } | { recovery_key: string }) => {
    const vault = await openVault({ dataDir, name: 'default', with: credential }).catch(() => null)
    vault?.lock()
    return vault !== null
  }
  const { recovery_key: first } = await coffer(['init'])
  expect(await coffer(['rotate', 'data'])).toEqual({ rotated: 'data' })
  const { recovery_key: second } = await coffer(['rotate', 'master'])
  const { recovery_key: third } = await coffer(['recovery-key'])
  const COFFER_NEW_PASSPHRASE = 'battery staple'
  await coffer(['passphrase'], { COFFER_NEW_PASSPHRASE })
  for (const recovery_key of [first, second]) expect(await opens({ recovery_key })).toBe(false)
  expect(await opens({ recovery_key: third })).toBe(true)
  expect(await opens({ passphrase: COFFER_PASSPHRASE })).toBe(false)
  expect(await opens({ passphrase: COFFER_NEW_PASSPHRASE })).toBe(true)
  // Without a keychain the passphrase stays.
  const refused = startCoffer(['protect', 'keychain', ...place], { COFFER_PASSPHRASE: COFFER_NEW_PASSPHRASE })
  await refused.line(/^coffer: .*keychain/)
  expect(await refused.ended).toBe(1)
  expect(await opens({ passphrase: COFFER_NEW_PASSPHRASE })).toBe(true)
})
