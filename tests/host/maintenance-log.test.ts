import path from 'node:path'
import { expect, test } from 'vitest'
import { backUpOpenVault } from '../../electron/host/maintenance/back-up.ts'
import { restoreVault } from '../../electron/host/vault/restore-vault.ts'
import { passphrase, startHost, storedVault } from './start-host.ts'
import {
  argon2id,
  createCard,
  createOwnerClient,
  createStoredVault,
  name,
  openStoredVault,
} from './stored-vault.ts'

type Owner = ReturnType<typeof createOwnerClient>

/** Returns the log records of maintenance on the vault, oldest first. */
async function listMaintenance(owner: Pick<Owner, 'logs'>) {
  const { data } = await owner.logs.list({ entity_type: 'vault', size: 100 })
  return data.reverse().map(({ action, status, actor_type }) => [action, status, actor_type])
}

test('O-05 backups and key changes are recorded, including failed ones', async () => {
  const { window, dataDir } = startHost()
  await window.host.createVault(storedVault)
  const { file } = await window.host.backup({})
  await expect(window.host.backup({ file })).rejects.toMatchObject({ code: 'conflict' })
  await window.host.rotateDataKey()
  const { recovery_key } = await window.host.draftRecoveryKey({})
  await window.host.rotateMaster({ with: { passphrase }, recovery_key })
  await window.host.changeProtection({
    with: { passphrase },
    protection: { passphrase: 'battery staple' },
  })
  const own = { with: { passphrase: 'battery staple' } }
  await expect(
    window.host.changeProtection({ ...own, protection: { passphrase: 'x' } }),
  ).rejects.toMatchObject({ code: 'invalid' })
  await window.host.newRecoveryKey({ ...own, recovery_key })
  const records = [
    ['vault.backup', 200, 'owner'],
    ['vault.backup', 409, 'owner'],
    ['vault.rotateDataKey', 200, 'owner'],
    ['vault.rotateMaster', 200, 'owner'],
    ['vault.changeProtection', 200, 'owner'],
    ['vault.changeProtection', 400, 'owner'],
    ['vault.newRecoveryKey', 200, 'owner'],
  ]
  expect(await listMaintenance(window)).toEqual(records)
  const { data } = await window.logs.list({ entity_type: 'vault' })
  expect(JSON.stringify(data)).not.toContain(dataDir)
  await window.host.lock()
  await window.host.unlock({ name: 'work', with: { passphrase: 'battery staple' } })
  expect(await listMaintenance(window)).toEqual(records)
})

test('O-05 a restore is recorded as made by the owner, and a daily backup by the vault', async () => {
  const { folder, dataDir, vault, owner, recovery_key } = await createStoredVault()
  await owner.tokens.create(createCard())
  const { file } = await backUpOpenVault(vault, { dataDir, reason: 'daily' })
  expect(await listMaintenance(owner)).toEqual([['vault.backup', 200, 'vault']])
  const elsewhere = path.join(folder, 'elsewhere')
  const protection = { passphrase: 'battery staple', argon2id }
  const restored = await restoreVault({
    file,
    dataDir: elsewhere,
    name,
    with: { recovery_key },
    protection,
  })
  restored.lock()
  const again = await openStoredVault({ dataDir: elsewhere, name, with: protection })
  expect(await listMaintenance(createOwnerClient(again))).toEqual([['vault.restore', 200, 'owner']])
})

test('maintenance does not count as use of the vault, so an idle vault is still locked', async () => {
  const { host, window, clock } = startHost()
  await window.host.createVault(storedVault)
  await window.host.updateSettings({ auto_lock_minutes: 10 })
  clock.advance(9 * 60_000)
  host.getEngine()?.outcomes.recordMaintenance('vault.backup', 'vault')
  clock.advance(60_000)
  host.checkIdle()
  expect(host.getEngine()).toBeNull()
})
