import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openOrCreate } from '../../electron/cli/terminal/open-vault.ts'
import { diagnoseVault } from '../../electron/host/doctor.ts'
import { readHeader } from '../../electron/host/files/header.ts'
import { unlockMaster } from '../../electron/host/keys/credential.ts'
import { backUpOpenVault } from '../../electron/host/maintenance/back-up.ts'
import { createVault } from '../../electron/host/vault/create-vault.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { runSteps } from './run-steps.ts'
import { argon2id, createStoredVault, name, passphrase } from './stored-vault.ts'

async function createPatient() {
  const stored = await createStoredVault()
  const { dataDir, vault } = stored
  const runDoctor = async (options: { open?: boolean; now?: number; vault?: string } = {}) => {
    const place = { dataDir, name: options.vault ?? name, now: options.now ?? Date.now() }
    const unlock = () => unlockMaster(readHeader(vault.files.header), { passphrase })
    const findings = await diagnoseVault(place, options.open ? unlock : undefined)
    return Object.fromEntries(findings.map((finding) => [finding.about, finding]))
  }
  return { ...stored, runDoctor }
}

test('an intact vault passes every check, open or closed, and is not changed', async () => {
  const { vault, dataDir, runDoctor } = await createPatient()
  await backUpOpenVault(vault, { dataDir })
  const open = await runDoctor({ open: true })
  expect(Object.values(open).filter(({ state }) => state !== 'ok')).toEqual([])
  expect(open['in use']?.text).toMatch(/is open in/)
  vault.lock()
  const before = fs.readFileSync(vault.files.database)
  const closed = await runDoctor({ open: true })
  expect(Object.values(closed).filter(({ state }) => state !== 'ok')).toEqual([])
  expect(closed.database?.text).toMatch(/Every page and key is sound/)
  expect((await runDoctor()).database?.text).toMatch(/--open/)
  expect(fs.readFileSync(vault.files.database).equals(before)).toBe(true)
})

test('each problem is reported with a remedy', async () => {
  const { vault, dataDir, runDoctor } = await createPatient()
  expect((await runDoctor()).backups).toMatchObject({
    state: 'warn',
    todo: expect.stringContaining('coffer backup'),
  })
  const { file } = await backUpOpenVault(vault, { dataDir })
  vault.lock()
  const later = await runDoctor({ now: Date.now() + 30 * 24 * 60 * 60 * 1000 })
  expect(later.backups).toMatchObject({ state: 'warn', text: expect.stringContaining('30 days') })
  expect((await runDoctor({ now: Date.now() - 60 * 60 * 1000 })).clock?.state).toBe('warn')
  fs.copyFileSync(file, `${file.slice(0, -'.coffer-backup'.length)}-2.coffer-backup`)
  fs.truncateSync(file, 3000)
  expect((await runDoctor()).backups).toMatchObject({
    state: 'warn',
    text: expect.stringContaining('damaged'),
  })
  if (process.platform !== 'win32') {
    fs.chmodSync(vault.files.database, 0o644)
    expect((await runDoctor()).permissions).toMatchObject({
      state: 'warn',
      todo: expect.stringContaining('chmod'),
    })
    fs.chmodSync(vault.files.database, 0o600)
  }
  const draft = path.join(dataDir, '.creating-other')
  fs.mkdirSync(draft)
  fs.utimesSync(draft, 0, 0)
  expect((await runDoctor()).leftovers).toMatchObject({
    state: 'warn',
    text: expect.stringContaining('.creating-other'),
  })
  expect((await runDoctor()).packages?.state).toBe('ok')
  const modules = path.join(dataDir, '.packages', 'node_modules')
  fs.mkdirSync(modules, { recursive: true })
  fs.symlinkSync('/', path.join(modules, 'out'))
  expect((await runDoctor()).packages).toMatchObject({
    state: 'warn',
    text: expect.stringContaining(path.join(modules, 'out')),
  })
  expect((await runDoctor({ vault: 'none' })).vault?.state).toBe('fail')
})

test('X-26 X-28 a flipped byte, a truncated or unencrypted file and a bad header fail', async () => {
  const { vault, runDoctor } = await createPatient()
  vault.lock()
  const { database, header } = vault.files
  const good = fs.readFileSync(database)
  const flipped = Buffer.from(good)
  const at = good.length >> 1
  flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at)
  fs.writeFileSync(database, flipped)
  expect((await runDoctor({ open: true })).database).toMatchObject({
    state: 'fail',
    text: expect.stringContaining('damaged'),
  })
  fs.writeFileSync(database, good.subarray(0, -5))
  expect((await runDoctor()).file?.state).toBe('fail')
  fs.rmSync(database)
  expect((await runDoctor()).file?.state).toBe('fail')
  const plain = new DatabaseSync(database)
  plain.exec('CREATE TABLE note (text TEXT)')
  plain.close()
  expect((await runDoctor()).file).toMatchObject({
    state: 'fail',
    text: expect.stringContaining('unencrypted'),
  })
  fs.writeFileSync(database, good)
  fs.writeFileSync(header, '{}')
  expect((await runDoctor()).header?.state).toBe('fail')
})

test('X-26 a missing database is the only failure, and no backup of it is suggested', async () => {
  const { vault, runDoctor } = await createPatient()
  vault.lock()
  fs.rmSync(vault.files.database)
  const found = await runDoctor()
  expect(Object.values(found).filter(({ state }) => state === 'fail')).toEqual([found.file])
  expect(found.file).toMatchObject({
    text: `There is no vault file ${vault.files.database}.`,
    todo: expect.stringContaining('coffer restore <file>'),
  })
  expect(found.backups?.todo).not.toContain('coffer backup')
})

test('X-26 if the header is missing, doctor warns that the backups may be of another vault', async () => {
  const { vault, dataDir, runDoctor } = await createPatient()
  const { made_at } = await backUpOpenVault(vault, { dataDir })
  vault.lock()
  fs.rmSync(vault.files.header)
  const found = await runDoctor()
  expect(Object.values(found).filter(({ state }) => state === 'fail')).toEqual([found.header])
  expect(found.backups).toEqual({
    about: 'backups',
    state: 'warn',
    text: `1 backup, the last from ${made_at}. Without vault.json it is unknown whether it is from this vault.`,
    todo: 'Restore it as a vault of another name: coffer restore <file>',
  })
})

test.runIf(process.platform === 'linux')(
  'X-26 each file that cannot be read or written is reported by name',
  async () => {
    const { folder, dataDir, vault } = await createPatient()
    vault.lock()
    const index = `${vault.files.database}-shm`
    fs.writeFileSync(index, '')
    const all = [
      folder,
      dataDir,
      vault.files.folder,
      ...Object.values(vault.files),
      `${vault.files.folder}.lock`,
    ]
    for (const each of all) fs.chmodSync(each, 0o777)
    fs.chmodSync(index, 0o444)
    const diagnoseWithoutRights = () => {
      const [, findings] = runSteps([{ do: 'drop rights' }, { do: 'doctor', dataDir, name }], folder)
      return findings
    }
    const closed = { about: 'permissions', state: 'fail', text: expect.stringContaining(index) }
    expect(diagnoseWithoutRights()).toContainEqual({
      ...closed,
      todo: expect.stringContaining(`chmod u+rwX ${index}`),
    })
    fs.chmodSync(vault.files.folder, 0o000)
    const locked = diagnoseWithoutRights()
    expect(locked).toContainEqual(expect.objectContaining({ about: 'permissions', state: 'fail' }))
    expect(JSON.stringify(locked)).not.toContain('Something went wrong')
    fs.chmodSync(vault.files.folder, 0o700)
  },
)

test.runIf(process.platform !== 'win32')(
  'X-33 a vault behind a broken link is unreachable, and no new one is created',
  async () => {
    const { folder, dataDir, vault, runDoctor } = await createPatient()
    vault.lock()
    const away = path.join(folder, 'away')
    fs.renameSync(vault.files.folder, away)
    fs.symlinkSync(path.join(folder, 'unmounted'), vault.files.folder)
    const sentence = /leads to .*unmounted, which cannot be reached. Mount the disk/
    const place = { dataDir, name, with: { passphrase } }
    const opened = openOrCreate({ dataDir, vault: name }, { memory: true })
    await expect(opened).rejects.toThrow(sentence)
    await expect(openVault(place)).rejects.toThrow(sentence)
    await expect(createVault({ dataDir, name, protection: { passphrase, argon2id } })).rejects.toThrow(
      sentence,
    )
    expect((await runDoctor()).vault).toMatchObject({ state: 'fail', text: expect.stringMatching(sentence) })
    fs.renameSync(away, path.join(folder, 'unmounted'))
    ;(await openVault(place)).lock()
  },
)
