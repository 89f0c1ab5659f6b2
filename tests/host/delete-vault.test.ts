import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listVaults } from '../../electron/host/files/vault-files.ts'
import { backUpOpenVault } from '../../electron/host/maintenance/back-up.ts'
import { createVault } from '../../electron/host/vault/create-vault.ts'
import { deleteVault, previewDeletion } from '../../electron/host/vault/delete-vault.ts'
import { restoreVault } from '../../electron/host/vault/restore-vault.ts'
import { pickSome } from '../thorough.ts'
import { captureCrashImages } from './crash-images.ts'
import { runInSession } from './run-steps.ts'
import {
  argon2id,
  createCard,
  createOwnerClient,
  createStoredVault,
  name,
  openStoredVault,
  passphrase,
} from './stored-vault.ts'

const protection = { passphrase, argon2id }

/** Creates a vault with a backup and another vault in the same folder, both locked. */
async function createTwoVaults() {
  const stored = await createStoredVault()
  const token = await stored.owner.tokens.create(createCard())
  const { file } = await backUpOpenVault(stored.vault, { dataDir: stored.dataDir })
  stored.vault.lock()
  const other = await createVault({ dataDir: stored.dataDir, name: 'work-2', protection })
  other.vault.lock()
  return { ...stored, token, file }
}

const toDeletion = (dataDir: string, with_backups = false) => ({ dataDir, name, with_backups })

test('deleting a vault removes exactly its own files, and its backup restores it', async () => {
  const { dataDir, recovery_key, token, file } = await createTwoVaults()
  fs.writeFileSync(path.join(dataDir, 'settings.json'), '{}')
  expect(previewDeletion({ dataDir, name })).toEqual({
    folder: path.join(dataDir, name),
    protection: 'passphrase',
    backups: [file],
    backups_in: path.dirname(file),
  })
  expect(await deleteVault(toDeletion(dataDir))).toEqual({
    backups_removed: 0,
    backups_kept: 1,
    keychain_left: [],
  })
  expect(fs.readdirSync(dataDir).sort()).toEqual([
    '.vault-work-2',
    'backups',
    'settings.json',
    'work-2',
    'work-2.lock',
  ])
  const vault = await restoreVault({ file, dataDir, name, with: { recovery_key }, protection })
  onTestFinished(() => vault.lock())
  expect((await createOwnerClient(vault).tokens.get({ id: token.id })).id).toBe(token.id)
})

test('backups are deleted on request, except those of another vault with the same name', async () => {
  const { dataDir, folder, file } = await createTwoVaults()
  const elsewhere = path.join(folder, 'elsewhere')
  const foreign = await createVault({ dataDir: elsewhere, name, protection })
  const theirs = path.join(path.dirname(file), 'foreign.coffer-backup')
  await backUpOpenVault(foreign.vault, { dataDir: elsewhere, file: theirs })
  foreign.vault.lock()
  expect(await deleteVault(toDeletion(dataDir, true))).toMatchObject({ backups_removed: 1, backups_kept: 0 })
  expect(fs.readdirSync(path.dirname(file))).toEqual(['foreign.coffer-backup'])
})

test('the backup folder is removed with its last backup', { tags: 'thorough' }, async () => {
  const { dataDir, vault } = await createTwoVaults()
  fs.writeFileSync(path.join(vault.files.folder, '.DS_Store'), 'left by a file manager')
  await deleteVault(toDeletion(dataDir, true))
  expect(fs.existsSync(path.join(dataDir, 'backups'))).toBe(false)
})

test('X-31 a vault that is open in a process cannot be deleted', async () => {
  const { dataDir, token, vault } = await createTwoVaults()
  const again = await openStoredVault({ dataDir, name, with: { passphrase } })
  for (const attempt of [
    async () => previewDeletion({ dataDir, name }),
    () => deleteVault(toDeletion(dataDir)),
  ]) {
    await expect(attempt()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('is open in'),
    })
  }
  expect((await createOwnerClient(again).tokens.get({ id: token.id })).id).toBe(token.id)
  expect(fs.existsSync(vault.files.database)).toBe(true)
})

test('a folder that is not a vault, has other files or is a link is not deleted', async () => {
  const { dataDir, folder, vault } = await createTwoVaults()
  const catchRejection = async (vault_name: string) => {
    const problem = await deleteVault({ ...toDeletion(dataDir), name: vault_name }).catch((error) => error)
    expect(() => previewDeletion({ dataDir, name: vault_name })).toThrow(problem.message)
    return [problem.code, problem.message]
  }
  expect(await catchRejection('none')).toEqual([
    'not_found',
    expect.stringContaining('The folder holds: work, work-2'),
  ])
  fs.mkdirSync(path.join(dataDir, 'photos'))
  expect(await catchRejection('photos')).toEqual(['not_found', expect.stringContaining('holds no vault')])
  fs.writeFileSync(path.join(vault.files.folder, 'notes.txt'), 'mine')
  expect(await catchRejection(name)).toEqual(['conflict', expect.stringContaining('notes.txt')])
  expect(fs.readdirSync(vault.files.folder).sort()).toEqual([
    'notes.txt',
    'vault.db',
    'vault.db-commits',
    'vault.json',
  ])
  fs.renameSync(path.join(dataDir, 'work-2'), path.join(folder, 'moved'))
  fs.symlinkSync(path.join(folder, 'moved'), path.join(dataDir, 'work-2'))
  expect(await catchRejection('work-2')).toEqual(['conflict', expect.stringContaining('is a link to')])
  expect(fs.existsSync(path.join(folder, 'moved', 'vault.db'))).toBe(true)
  await expect(deleteVault({ ...toDeletion(dataDir), name: '../work' })).rejects.toMatchObject({
    code: 'invalid',
  })
})

test('a damaged vault is deleted, but not backups that may be of another vault', {
  tags: 'thorough',
}, async () => {
  const { dataDir, vault, file } = await createTwoVaults()
  fs.writeFileSync(vault.files.header, 'damaged')
  fs.rmSync(vault.files.database)
  expect(previewDeletion({ dataDir, name })).toMatchObject({ protection: null, backups: [file] })
  expect(await deleteVault(toDeletion(dataDir, true))).toMatchObject({ backups_removed: 0, backups_kept: 1 })
  expect(fs.existsSync(file)).toBe(true)
})

test('if leftovers of a deleted vault cannot be removed, the error says so', {
  tags: 'thorough',
}, async () => {
  const { dataDir } = await createTwoVaults()
  const remove = vi.spyOn(fs, 'rmSync').mockImplementation((file) => {
    if (String(file).includes('.deleting-')) throw Object.assign(new Error(), { code: 'EPERM' })
  })
  const deleting = deleteVault(toDeletion(dataDir))
  await expect(deleting).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/^The vault work is deleted, but .*\.deleting-work could not be removed/),
  })
  remove.mockRestore()
  expect(listVaults(dataDir)).toEqual(['work-2'])
})

test('X-24 a crash during deletion leaves the vault complete or deleted', async () => {
  const { dataDir, vault } = await createTwoVaults()
  const images = await captureCrashImages(dataDir, () => deleteVault(toDeletion(dataDir)))
  expect(fs.existsSync(vault.files.folder)).toBe(false)
  const outcomes: string[] = []
  const tested = pickSome(images, 4)
  for (const image of images) {
    const isWhole = listVaults(image).includes(name)
    outcomes.push(isWhole ? 'whole' : 'gone')
    if (!tested.includes(image)) continue
    if (isWhole) {
      const again = await openStoredVault({ dataDir: image, name, with: { passphrase } })
      again.lock()
      continue
    }
    const fresh = await createVault({ dataDir: image, name: 'fresh', protection })
    fresh.vault.lock()
    const left = fs
      .readdirSync(image)
      .filter((each) => !/^((\.vault-)?(fresh|work-2)|backups|work\.lock)/.test(each))
    expect(left).toEqual([])
  }
  expect(outcomes.join(' ')).toMatch(/^(whole ){2,}(gone ?){2,}$/)
})

test.runIf(process.platform === 'linux')(
  'X-33 deletion removes the vault’s own keychain entry, or names it if that fails',
  () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-test-'))
    onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }))
    const dataDir = path.join(folder, 'data')
    const keychain = { keychain: true } as const
    const vaults = ['one', 'two', 'three', 'four'].map((each) => ({
      ...{ do: 'create' as const, dataDir, name: each, protection: keychain },
    }))
    runInSession(folder, { unlocked_with: 'pw' }, vaults)
    const readAccount = (each: string) =>
      JSON.parse(fs.readFileSync(path.join(dataDir, each, 'vault.json'), 'utf8')).keychain.account as string
    const [one, two, three, four] = vaults.map((each) => readAccount(each.name)) as [
      string,
      string,
      string,
      string,
    ]
    // A manual copy of a vault uses the keychain entry of the original.
    fs.cpSync(path.join(dataDir, 'two'), path.join(dataDir, 'copy'), { recursive: true })
    const createDeleteStep = (each: string) => ({ do: 'delete' as const, dataDir, name: each })
    const createReadStep = (each: string) => ({ do: 'read' as const, account: each })
    expect(
      runInSession(folder, { unlocked_with: 'pw' }, [
        ...[
          createDeleteStep('one'),
          createReadStep(one),
          createDeleteStep('two'),
          createReadStep(two),
          createDeleteStep('copy'),
          createReadStep(two),
          createReadStep(three),
        ],
      ]),
    ).toMatchObject([
      { keychain_left: [] },
      { state: 'empty' },
      { keychain_left: [] },
      { state: 'found' },
      { keychain_left: [] },
      { state: 'empty' },
      { state: 'found' },
    ])
    expect(
      runInSession(folder, 'locked', [createDeleteStep('three'), createDeleteStep('four')]),
    ).toMatchObject([{ keychain_left: [{ account: three }] }, { keychain_left: [{ account: four }] }])
    expect(listVaults(dataDir)).toEqual([])
  },
)
