import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { getDataDirectory, prepareDataDirectory } from '../../electron/host/files/data-dir.ts'
import { getVaultFiles, listVaults } from '../../electron/host/files/vault-files.ts'

let folder: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-test-'))
})
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

test.each([
  ['linux', {}, '/home/ada/.local/share/coffer'],
  ['linux', { XDG_DATA_HOME: '/data' }, '/data/coffer'],
  ['linux', { XDG_DATA_HOME: 'relative' }, '/home/ada/.local/share/coffer'],
  ['darwin', { XDG_DATA_HOME: '/data' }, '/home/ada/Library/Application Support/Coffer'],
  ['win32', { APPDATA: '/roaming' }, '/roaming/Coffer'],
  ['win32', {}, '/home/ada/AppData/Roaming/Coffer'],
  ['darwin', { COFFER_DATA_DIR: '/mine' }, '/mine'],
  ['linux', { COFFER_DATA_DIR: '~/vaults' }, '/home/ada/vaults'],
  ['linux', { COFFER_DATA_DIR: '/data/~' }, '/data/~'],
] as const)('on %s with the environment %j, the data folder is %s', (platform, env, expected) => {
  const directory = getDataDirectory(env, platform, '/home/ada').replaceAll('\\', '/')
  expect(directory.replace(/^[A-Z]:/, '')).toBe(expected)
})

test.runIf(process.platform !== 'win32').each(['', 'home'])(
  "with HOME=%j, the data folder is in the account's home folder",
  (home) => {
    vi.stubEnv('HOME', home)
    try {
      const at = path.join(os.userInfo().homedir, '.local', 'share', 'coffer')
      expect(getDataDirectory({}, 'linux')).toBe(at)
      expect(getDataDirectory({ XDG_DATA_HOME: 'relative' }, 'linux')).toBe(at)
      expect(getDataDirectory({ COFFER_DATA_DIR: '~/vaults' })).toBe(
        path.join(os.userInfo().homedir, 'vaults'),
      )
    } finally {
      vi.unstubAllEnvs()
    }
  },
)

test.runIf(process.platform !== 'win32')(
  'a new data folder is accessible to its owner only, and an existing one is unchanged',
  () => {
    const directory = path.join(folder, 'a', 'b')
    prepareDataDirectory(directory)
    expect(fs.statSync(directory).mode & 0o777).toBe(0o700)
    fs.chmodSync(folder, 0o755)
    prepareDataDirectory(folder)
    expect(fs.statSync(folder).mode & 0o777).toBe(0o755)
  },
)

test('a data folder that cannot be created or written is rejected with advice', () => {
  const file = path.join(folder, 'file')
  fs.writeFileSync(file, '')
  expect(() => prepareDataDirectory(path.join(file, 'data'))).toThrow(/is not a folder\. Choose another path/)
  if (process.platform !== 'linux') return
  // Neither a user nor the administrator may create folders there.
  expect(() => prepareDataDirectory('/sys/coffer-test')).toThrow(/cannot be written\. Make its folder/)
  expect(() => prepareDataDirectory('/proc/coffer-test/data')).toThrow(/Check the disk and the folder/)
})

test.each([
  '',
  '.',
  '..',
  '../x',
  'a/b',
  'a\\b',
  'A',
  'ä',
  '-a',
  '.a',
  'a.b',
  'con',
  'com1',
  'a'.repeat(65),
  'a\0',
])('X-09 the vault name %j is rejected', (name) =>
  expect(() => getVaultFiles(folder, name)).toThrow(/^name must be/),
)

test('X-74 only folders with a valid name and a file of a vault are listed as vaults', () => {
  expect(listVaults(path.join(folder, 'missing'))).toEqual([])
  for (const name of ['work', 'a-b_2', '.creating-x', 'Not', 'empty']) fs.mkdirSync(path.join(folder, name))
  for (const name of ['work', '.creating-x', 'Not']) fs.writeFileSync(path.join(folder, name, 'vault.db'), '')
  fs.writeFileSync(path.join(folder, 'a-b_2', 'vault.json'), '')
  fs.writeFileSync(path.join(folder, 'file'), '')
  expect(listVaults(folder)).toEqual(['a-b_2', 'work'])
})
