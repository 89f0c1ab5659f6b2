import fs from 'node:fs'
import { expect, test } from 'vitest'
import { migrations } from '../../electron/engine/db/migrations.ts'
import { toFirstFormat } from '../first-format.ts'
import { startHost } from '../host/start-host.ts'
import { createStoredVault, name, passphrase } from '../host/stored-vault.ts'
import { runWithEnv, serveInProcess } from './in-process.ts'

/** Creates a closed vault of the first version. Returns its folder. */
async function createOldVault(): Promise<string> {
  const { dataDir, vault } = await createStoredVault()
  const { database } = vault.files
  const master = vault.withMaster((each) => Buffer.from(each))
  vault.lock()
  toFirstFormat({ file: database, master })
  return dataDir
}

test('a command reports a vault’s upgrade once, with the path of the backup', async () => {
  const dataDir = await createOldVault()
  const place = ['--data-dir', dataDir, '--vault', name]
  const listKeys = () => runWithEnv({ COFFER_PASSPHRASE: passphrase }, 'keys', 'list', '--json', ...place)
  const first = await listKeys()
  expect(first.code).toBe(0)
  expect(Array.isArray(JSON.parse(first.out))).toBe(true)
  const notice = new RegExp(
    `^The vault ${name} was migrated from format 1 to ${migrations.length}\\. Its backup is (\\S+)\\.\n$`,
  )
  expect(first.notes).toMatch(notice)
  expect(fs.existsSync(notice.exec(first.notes)?.[1] ?? '')).toBe(true)
  expect((await listKeys()).notes).toBe('')
})

test('serve reports an upgrade only once', async () => {
  const dataDir = await createOldVault()
  const env = { COFFER_PASSPHRASE: passphrase }
  const { notes } = await serveInProcess(['--json', '--data-dir', dataDir, '--vault', name], env)
  expect(notes.match(/was migrated from format/g)).toHaveLength(1)
})

test('the window shows that opening a vault upgraded it', async () => {
  const dataDir = await createOldVault()
  const { host, window } = startHost({ dataDir })
  await window.host.unlock({ name, with: { passphrase } })
  expect(host.getStatus().notices).toEqual([expect.stringContaining('was migrated from format 1 to')])
})
