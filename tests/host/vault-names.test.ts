import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inDataFolder } from '../../electron/host/files/data-folder.ts'
import { getPackagesFolder, migratePackages } from '../../electron/host/files/packages-folder.ts'
import {
  getVaultFiles,
  isNewVaultName,
  isVaultName,
  listVaults,
} from '../../electron/host/files/vault-files.ts'
import { createVault } from '../../electron/host/vault/create-vault.ts'
import { deleteVault } from '../../electron/host/vault/delete-vault.ts'
import { runWithEnv } from '../cli/in-process.ts'
import { createTempFolder } from '../vault.ts'
import { argon2id, createStoredVault, openStoredVault, passphrase } from './stored-vault.ts'

const devices = ['con', 'prn', 'aux', 'nul', ...'0123456789'.split('').flatMap((n) => [`com${n}`, `lpt${n}`])]

/** Generates names that are special on some system, and variants of them. */
const special = fc
  .tuple(
    fc.constantFrom('', ' ', '.', '..', '/', '\\', '-', '_'),
    fc.constantFrom(...devices, ...Object.values(inDataFolder), 'vault', 'work', 'default', '', '.', '..'),
    fc.constantFrom('', '.', ' ', '...', '.txt', '.lock', ':', '$', '/', '\\', '\0', '-1', '¹'),
    fc.boolean(),
  )
  .map(([before, name, after, isUpper]) => before + (isUpper ? name.toUpperCase() : name) + after)

test('X-74 every valid new vault name gives a separate folder on every system', () => {
  fc.assert(
    fc.property(
      fc.oneof(special, fc.string({ maxLength: 70 }), fc.stringMatching(/^[a-z0-9._-]{1,8}$/)),
      (name) => {
        if (!isNewVaultName(name)) return
        const { folder } = getVaultFiles('/data', name)
        expect(path.posix.dirname(folder)).toBe('/data')
        expect(path.posix.basename(folder)).toBe(name)
        // Windows ignores case and drops dots and spaces at the end, and a device name before a dot opens the device.
        expect(name).toBe(name.toLowerCase().replace(/[. ]+$/, ''))
        expect(devices).not.toContain(name.split('.')[0])
        for (const taken of Object.values(inDataFolder)) expect(name).not.toBe(taken)
      },
    ),
    { numRuns: 5000 },
  )
})

test.each([
  'packages',
  'backups',
  'con',
  'nul',
  'com1',
  '.',
  '..',
  'work.',
  'aux.txt',
  '.packages',
  '.control',
])('X-74 a new vault cannot be named %s', async (name) => {
  expect(isNewVaultName(name)).toBe(false)
  const dataDir = path.join(createTempFolder(), 'data')
  await expect(createVault({ dataDir, name, protection: { passphrase, argon2id } })).rejects.toThrow(
    /^name must be 1 to 64/,
  )
  expect(fs.existsSync(dataDir)).toBe(false)
})

test("X-74 Coffer's own entries in the data folder are not valid vault names", async () => {
  const { dataDir, vault } = await createStoredVault()
  const env = { COFFER_PASSPHRASE: passphrase, COFFER_DATA_DIR: dataDir, COFFER_VAULT: 'work' }
  vault.incidents.reportError(new Error('x'), 'test')
  vault.lock()
  expect((await runWithEnv(env, 'backup')).code).toBe(0)
  fs.mkdirSync(getPackagesFolder(dataDir))
  const others = fs.readdirSync(dataDir).filter((name) => name !== 'work')
  expect(others.length).toBeGreaterThan(3)
  expect(others.filter(isNewVaultName)).toEqual([])
})

/** Installs a package as `coffer reactor add-package` of version 0.2 did. */
function addOldPackage(folder: string) {
  fs.mkdirSync(path.join(folder, 'node_modules', 'ms'), { recursive: true })
  fs.writeFileSync(path.join(folder, 'node_modules', 'ms', 'package.json'), '{"version":"2.1.3"}')
  fs.writeFileSync(path.join(folder, 'package.json'), '{"dependencies":{"ms":"2.1.3"}}')
  fs.writeFileSync(path.join(folder, 'package-lock.json'), '{}')
}

test('X-74 an old packages folder is not listed as a vault and is moved to .packages', async () => {
  const dataDir = createTempFolder()
  const before = path.join(dataDir, 'packages')
  addOldPackage(before)
  const env = { COFFER_DATA_DIR: dataDir }
  expect(getPackagesFolder(dataDir)).toBe(before)
  const { vaults } = JSON.parse((await runWithEnv(env, 'status', '--json')).out)
  expect(vaults).toEqual([])
  expect((await runWithEnv(env, 'keys', 'list')).error).not.toContain('packages')
  expect((await runWithEnv(env, 'doctor', '--vault', 'packages')).out).toContain('There is no vault packages')
  expect((await runWithEnv(env, 'reactor', 'packages')).out).toBe('ms 2.1.3\n')
  expect(fs.readdirSync(dataDir)).toEqual(['.packages'])
  expect(migratePackages(dataDir)).toBe(path.join(dataDir, '.packages'))
})

test('X-74 an existing vault named packages opens, is hidden from code and can be deleted', async () => {
  const { dataDir, vault } = await createStoredVault()
  vault.lock()
  const folder = path.join(dataDir, 'packages')
  fs.renameSync(vault.files.folder, folder)
  addOldPackage(folder)
  expect(isVaultName('packages')).toBe(true)
  expect(listVaults(dataDir)).toEqual(['packages'])
  // Code may read the packages folder, so it must not be the folder of this vault.
  expect(getPackagesFolder(dataDir)).toBe(path.join(dataDir, '.packages'))
  const again = await openStoredVault({ dataDir, name: 'packages', with: { passphrase } })
  again.lock()
  await deleteVault({ dataDir, name: 'packages', with_backups: false })
  expect(fs.existsSync(folder)).toBe(false)
  expect((await runWithEnv({ COFFER_DATA_DIR: dataDir }, 'reactor', 'packages')).out).toBe('ms 2.1.3\n')
})
