import path from 'node:path'
import { expect, test } from 'vitest'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { tempFolder } from '../vault.ts'
import { startCoffer } from './run-coffer.ts'

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
