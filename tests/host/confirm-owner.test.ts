import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { tryPassphrase } from '../../electron/host/keys/attempts.ts'
import { newRecoveryKey } from '../../electron/host/keys/recovery-key.ts'
import { catchProblem } from '../vault.ts'
import { inMemoryVault, passphrase, startHost, storedVault } from './start-host.ts'

const wrong = { passphrase: 'not this one at all' }
const next = { passphrase: 'battery staple' }

test('X-34 an irreversible action needs a credential even while the vault is open', async () => {
  const { window } = startHost()
  const { recovery_key = '' } = await window.host.createVault(storedVault)
  const { file } = await window.host.backup({})
  const fresh = newRecoveryKey()
  const requests = [
    (credential: typeof wrong) => window.host.changeProtection({ with: credential, protection: next }),
    (credential: typeof wrong) => window.host.newRecoveryKey({ with: credential, recovery_key: fresh }),
    (credential: typeof wrong) => window.host.rotateMaster({ with: credential, recovery_key: fresh }),
    (credential: typeof wrong) => window.host.removeBackup({ file, with: credential }),
    (credential: typeof wrong) =>
      window.host.deleteVault({ name: 'work', with_backups: true, with: credential }),
    (credential: typeof wrong) =>
      window.host.exportTokens({ format: 'csv', confirm: { vault: 'work', with: credential } }),
  ]
  for (const request of requests) {
    expect(await catchProblem(request(undefined as never))).toMatchObject({
      status: expect.toBeOneOf([400, 403]),
    })
    // A correct passphrase in between resets the number of failed attempts.
    await window.host.draftRecoveryKey({ with: { passphrase } })
    expect(await catchProblem(request(wrong))).toMatchObject({ status: 401 })
  }
  expect((await window.host.status()).vault?.name).toBe('work')
  expect((await window.host.listBackups({})).backups).toHaveLength(1)

  // With only the recovery key, the passphrase can be replaced but not retained, because it is unknown.
  const unknown = await catchProblem(
    window.host.rotateMaster({ with: { recovery_key }, recovery_key: fresh }),
  )
  expect(unknown).toMatchObject({ status: 400 })
  await window.host.changeProtection({ with: { recovery_key }, protection: next })
  await window.host.newRecoveryKey({ with: next, recovery_key: fresh })
  expect(await catchProblem(window.host.draftRecoveryKey({ with: { recovery_key } }))).toMatchObject({
    status: 401,
  })
})

test('X-34 attempts with wrong passphrases are limited while the vault is open, even in parallel', async () => {
  const { window } = startHost()
  await window.host.createVault({ ...storedVault, name: 'guessed' })
  const guesses = Array.from({ length: 12 }, () =>
    catchProblem(window.host.changeProtection({ with: wrong, protection: next })),
  )
  const statuses = (await Promise.all(guesses)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(3)
  expect(statuses.filter((status) => status === 429)).toHaveLength(9)
  expect(
    await catchProblem(window.host.changeProtection({ with: { passphrase }, protection: next })),
  ).toMatchObject({
    status: 429,
  })
})

test('X-43 a credential of an older vault.json does not confirm an action', async () => {
  const { window, dataDir } = startHost()
  await window.host.createVault(storedVault)
  const header = path.join(dataDir, 'work', 'vault.json')
  const older = fs.readFileSync(header)
  await window.host.changeProtection({ with: { passphrase }, protection: next })
  const todays = fs.readFileSync(header)
  fs.writeFileSync(header, older)
  const credential = { passphrase }
  const requests = [
    () => window.host.exportTokens({ format: 'csv', confirm: { vault: 'work', with: credential } }),
    () => window.host.draftRecoveryKey({ with: credential }),
    () => window.host.changeProtection({ with: credential, protection: next }),
    () => window.host.newRecoveryKey({ with: credential, recovery_key: newRecoveryKey() }),
    () => window.host.rotateMaster({ with: credential, recovery_key: newRecoveryKey() }),
  ]
  for (const request of requests) expect(await catchProblem(request())).toMatchObject({ status: 409 })
  fs.writeFileSync(header, todays)
  await window.host.exportTokens({ format: 'csv', confirm: { vault: 'work', with: next } })
})

test('a confirmation is rejected with 423 if the vault is locked meanwhile', async () => {
  const { window } = startHost()
  await window.host.createVault({ ...storedVault, name: 'left' })
  const requests = catchProblem(window.host.draftRecoveryKey({ with: { passphrase } }))
  await window.host.lock({})
  expect(await requests).toMatchObject({ status: 423 })
})

test('a passphrase attempt that fails with an error does not block later ones', async () => {
  const broken = tryPassphrase('broken', () => Promise.reject(new Error('no memory')))
  const key = Buffer.alloc(32, 1)
  const later = tryPassphrase('broken', async () => key)
  await expect(broken).rejects.toThrow('no memory')
  expect(await later).toBe(key)
})

test('removing a backup needs a current credential and is limited to backup files', async () => {
  const { window, dataDir } = startHost()
  await window.host.createVault(storedVault)
  const { file } = await window.host.backup({})
  const { file: second } = await window.host.backup({})
  await window.host.changeProtection({ with: { passphrase }, protection: next })
  expect(await catchProblem(window.host.removeBackup({ file, with: { passphrase } }))).toMatchObject({
    status: 401,
  })
  await window.host.removeBackup({ file, with: next })
  expect((await window.host.listBackups({})).backups.map((each) => each.file)).toEqual([second])
  for (const other of [
    path.join(dataDir, 'work', 'vault.db'),
    `${path.dirname(second)}/../work/${path.basename(second)}`,
    file,
  ]) {
    expect(await catchProblem(window.host.removeBackup({ file: other, with: next }))).toMatchObject({
      status: 404,
    })
  }
  expect(fs.existsSync(path.join(dataDir, 'work', 'vault.db'))).toBe(true)

  // A damaged backup needs the credential of the vault whose folder it is in. Once the vault is deleted, a backup needs
  // its own credential.
  fs.writeFileSync(`${second.slice(0, -'.coffer-backup'.length)}-2.coffer-backup`, 'damaged')
  const { backups } = await window.host.listBackups({})
  const damaged = backups.find(({ problem }) => problem !== undefined)?.file ?? ''
  expect(await catchProblem(window.host.removeBackup({ file: damaged, with: wrong }))).toMatchObject({
    status: 401,
  })
  await window.host.removeBackup({ file: damaged, with: next })
  await window.host.deleteVault({ name: 'work', with_backups: false, with: next })
  expect(await catchProblem(window.host.removeBackup({ file: second, with: next }))).toMatchObject({
    status: 401,
  })
  await window.host.removeBackup({ file: second, with: { passphrase } })
  expect((await window.host.listBackups({})).backups).toEqual([])
})

test('the window deletes an open or locked vault, and its backups only on request', async () => {
  const { window, dataDir } = startHost()
  await window.host.createVault({ ...storedVault, name: 'first' })
  await window.host.backup({})
  await window.host.createVault({ ...storedVault, name: 'second' })
  const input = { with_backups: true, with: { passphrase } }
  expect(await window.host.deleteVault({ name: 'first', ...input })).toEqual({
    backups_removed: 1,
    backups_kept: 0,
    keychain_left: 0,
  })
  expect((await window.host.status()).vault?.name).toBe('second')
  await window.host.backup({})
  expect(await window.host.deleteVault({ name: 'second', ...input, with_backups: false })).toMatchObject({
    backups_kept: 1,
  })
  const { vault, vaults } = await window.host.status()
  expect([vault, vaults]).toEqual([null, []])
  expect(fs.existsSync(path.join(dataDir, 'second'))).toBe(false)
  expect(await catchProblem(window.host.deleteVault({ name: 'second', ...input }))).toMatchObject({
    status: 404,
  })
  await window.host.createVault(inMemoryVault)
  expect(await catchProblem(window.host.deleteVault({ name: 'memory', ...input }))).toMatchObject({
    status: 404,
  })
})
