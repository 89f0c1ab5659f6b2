import fs from 'node:fs'
import path from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { migrateDatabase } from '../../electron/engine/db/migrate.ts'
import { migrations } from '../../electron/engine/db/migrations.ts'
import { openDatabase } from '../../electron/engine/db/open.ts'
import { readBackupFile, readBackupHead } from '../../electron/host/backups/backup-file.ts'
import { isBackupDue, listBackups } from '../../electron/host/backups/backup-folder.ts'
import { makeVerifiedBackup } from '../../electron/host/backups/verified-backup.ts'
import { runInBackground } from '../../electron/host/jobs/background.ts'
import { backUpOpenVault, backUpVaultFiles } from '../../electron/host/maintenance/back-up.ts'
import { DailyBackups } from '../../electron/host/maintenance/daily-backups.ts'
import { verifyBackup } from '../../electron/host/maintenance/verify-backup.ts'
import { createVault } from '../../electron/host/vault/create-vault.ts'
import { backUpBeforeMigrating } from '../../electron/host/vault/open-vault.ts'
import { restoreVault } from '../../electron/host/vault/restore-vault.ts'
import type { BackupSummary } from '../../shared/schemas/backup.ts'
import { pickSome } from '../thorough.ts'
import { Clock, createTempFolder } from '../vault.ts'
import { captureCrashImages } from './crash-images.ts'
import { runSteps } from './run-steps.ts'
import { startHost } from './start-host.ts'
import {
  argon2id,
  copyMaster,
  createCard,
  createOwnerClient,
  createStoredVault,
  name,
  openStoredVault,
  passphrase,
} from './stored-vault.ts'

const fresh = { passphrase: 'on another machine', argon2id }
const HOUR = 60 * 60 * 1000

async function restoreAndLock(input: Parameters<typeof restoreVault>[0]) {
  const vault = await restoreVault(input)
  onTestFinished(() => vault.lock())
  return vault
}

async function createVaultWithBackup() {
  const stored = await createStoredVault()
  const token = await stored.owner.tokens.create(createCard())
  const created = await backUpOpenVault(stored.vault, { dataDir: stored.dataDir })
  return { ...stored, token, file: created.file }
}

test('X-30 passphrase or recovery key restores a backup with a new passphrase', async () => {
  const { folder, vault, recovery_key, token, file } = await createVaultWithBackup()
  vault.lock()
  const dataDir = path.join(folder, 'elsewhere')
  for (const [index, credential] of pickSome([{ recovery_key }, { passphrase }], 1).entries()) {
    const target = { file, dataDir, name: `copy${index}`, with: credential, protection: fresh }
    const copy = await restoreAndLock(target)
    expect((await createOwnerClient(copy).tokens.get({ id: token.id })).fingerprint).toBe(token.fingerprint)
    copy.lock()
    for (const accepted of [fresh, { recovery_key }]) {
      const again = await openStoredVault({ dataDir, name: target.name, with: accepted })
      expect(again.engine.tenant_id).toBe(vault.engine.tenant_id)
      again.lock()
    }
    await expect(openStoredVault({ dataDir, name: target.name, with: { passphrase } })).rejects.toMatchObject(
      {
        code: 'unauthenticated',
      },
    )
  }
})

test('a cancelled job rejects with cancelled, even if it fails at the same time', {
  tags: 'thorough',
}, async () => {
  const { file } = await createVaultWithBackup()
  const bytes = fs.readFileSync(file)
  const checksum = bytes.length - 64
  bytes[checksum] = (bytes[checksum] ?? 0) ^ 1
  fs.writeFileSync(file, bytes)
  const controller = new AbortController()
  const reading = runInBackground('readBackup', { file })
  await expect(reading).rejects.toMatchObject({ code: 'damaged' })
  // This thread is blocked, so the worker fails before it is stopped.
  const onProgress = () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    controller.abort()
  }
  const cancelled = runInBackground('readBackup', { file }, { signal: controller.signal, onProgress })
  await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' })
})

test('X-30 a restore with a wrong credential fails and creates nothing', async () => {
  const { folder, file } = await createVaultWithBackup()
  const other = await createVault({
    dataDir: path.join(folder, 'other'),
    name,
    protection: { passphrase, argon2id },
  })
  other.vault.lock()
  const dataDir = path.join(folder, 'elsewhere')
  const attempts = [
    [{ passphrase: 'wrong' }, 'unauthenticated'],
    [{ recovery_key: other.recovery_key }, 'unauthenticated'],
    [{ keychain: true }, 'invalid'],
  ] as const
  for (const [credential, code] of attempts) {
    const restoring = restoreVault({ file, dataDir, name, with: credential, protection: fresh })
    await expect(restoring).rejects.toMatchObject({ code })
  }
  expect(fs.existsSync(dataDir)).toBe(false)
})

test('X-30 a damaged, foreign or newer backup is rejected and changes nothing', async () => {
  const { dataDir, folder, vault, owner, token, file } = await createVaultWithBackup()
  const good = fs.readFileSync(file)
  const head = good.indexOf('\n', good.indexOf('\n') + 1)
  const flipByte = (at: number) => {
    const bytes = Buffer.from(good)
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    return bytes
  }
  const replaceText = (from: string, to: string) =>
    Buffer.concat([Buffer.from(good.toString('utf8', 0, head).replace(from, to)), good.subarray(head)])
  const spread = Array.from({ length: 4 }, (_, index) => Math.floor(((index + 0.5) * good.length) / 4))
  const bad: [Buffer, string][] = [
    ...pickSome([head + 1, ...spread, good.length - 33, good.length - 1], 3).map((at): [Buffer, string] => [
      flipByte(at),
      'damaged',
    ]),
    ...pickSome([head - 1, head + 1, good.length >> 1, good.length - 1], 2).map(
      (length): [Buffer, string] => [good.subarray(0, length), 'damaged'],
    ),
    [Buffer.concat([good, Buffer.from('x')]), 'damaged'],
    [replaceText(`"format":${migrations.length},"database`, '"format":77,"database'), 'unprocessable'],
    [replaceText('BACKUP 1', 'BACKUP 2'), 'unprocessable'],
    [Buffer.alloc(0), 'unprocessable'],
    [good.subarray(0, 5), 'unprocessable'],
    [Buffer.from('PK\u0003\u0004 a backup of something else\n{}\n'), 'unprocessable'],
  ]
  const before = fs.readFileSync(vault.files.header)
  const names = fs.readdirSync(dataDir).sort()
  const target = path.join(folder, 'bad.coffer-backup')
  for (const [bytes, code] of bad) {
    fs.writeFileSync(target, bytes)
    const restoring = restoreVault({
      file: target,
      dataDir,
      name: 'copy',
      with: { passphrase },
      protection: fresh,
    })
    await expect(restoring).rejects.toMatchObject({ code })
    expect(fs.readFileSync(target).equals(bytes)).toBe(true)
  }
  expect(
    fs
      .readdirSync(dataDir)
      .filter((each) => !each.startsWith('copy.lock'))
      .sort(),
  ).toEqual(names)
  expect(fs.readFileSync(vault.files.header)).toEqual(before)
  fs.writeFileSync(target, flipByte(spread[1] ?? 0))
  await expect(verifyBackup({ file: target })).rejects.toMatchObject({ code: 'damaged' })
  expect((await owner.tokens.get({ id: token.id })).id).toBe(token.id)
  await expect(verifyBackup({ file: path.join(folder, 'none') })).rejects.toMatchObject({ code: 'not_found' })
})

test('X-30 a backup forged without the key is rejected, even with a correct checksum', async () => {
  const { folder, file } = await createVaultWithBackup()
  const bytes = fs.readFileSync(file)
  const { createHash } = await import('node:crypto')
  const whole = bytes.length - 64
  bytes.writeUInt8(bytes.readUInt8(whole - 5000) ^ 1, whole - 5000)
  createHash('sha256').update(bytes.subarray(0, whole)).digest().copy(bytes, whole)
  const target = path.join(folder, 'forged')
  fs.writeFileSync(target, bytes)
  expect(await verifyBackup({ file: target })).toMatchObject({ checked: 'checksum' })
  await expect(verifyBackup({ file: target, with: { passphrase } })).rejects.toMatchObject({
    code: 'damaged',
    message: expect.stringContaining('seal'),
  })
})

test('X-30 a backup overwrites no file, and a restore overwrites no vault', async () => {
  const { dataDir, vault, file } = await createVaultWithBackup()
  const before = fs.readFileSync(file)
  await expect(backUpOpenVault(vault, { dataDir, file })).rejects.toMatchObject({ code: 'conflict' })
  expect(fs.readFileSync(file).equals(before)).toBe(true)
  vault.lock()
  const database = fs.readFileSync(vault.files.database)
  const restoring = restoreVault({ file, dataDir, name, with: { passphrase }, protection: fresh })
  await expect(restoring).rejects.toMatchObject({ code: 'conflict' })
  expect(fs.readFileSync(vault.files.database).equals(database)).toBe(true)
})

test('X-31 of two simultaneous backups to one file, one succeeds and one gets conflict', {
  tags: 'thorough',
}, async () => {
  const { folder, dataDir, vault } = await createStoredVault()
  const file = path.join(folder, 'out')
  const job = { dataDir, name, with: { passphrase }, file }
  const ended = await Promise.allSettled([backUpVaultFiles(job), backUpVaultFiles(job)])
  const rejections = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  expect(rejections).toEqual([
    expect.objectContaining({
      code: 'conflict',
      message: expect.stringMatching(/out (is being written by another|already exists)/),
    }),
  ])
  expect(fs.readdirSync(folder).sort()).toEqual(['data', 'out'])
  expect(await verifyBackup({ file, with: { passphrase } })).toMatchObject({ checked: 'database' })

  // Now another process backs up to a file that this one is writing.
  const late = { do: 'backup', dataDir, name, with: { passphrase }, out: `${file}2` } as const
  let results: unknown
  const making = { ...vault.files, master: vault.withMaster((each) => each), out: late.out, now: 0 }
  makeVerifiedBackup({ ...making, reason: 'asked' }, () => {
    results ??= runSteps([late], folder)
  })
  expect(results).toEqual([
    { code: 'conflict', message: expect.stringContaining('is being written by another') },
  ])
  expect(fs.readdirSync(folder).sort()).toEqual(['data', 'out', 'out2'])
  expect(await verifyBackup({ file: late.out })).toMatchObject({ name })
})

test('X-23 a backup is readable by its owner only and contains no plaintext', async () => {
  const { vault, dataDir } = await createStoredVault()
  const owner = createOwnerClient(vault)
  await owner.tokens.create({ ...createCard('5555555555554444'), metadata: { note: 'canary-note' } })
  const { file } = await backUpOpenVault(vault, { dataDir })
  const bytes = fs.readFileSync(file)
  for (const canary of ['5555555555554444', 'canary-note', 'SQLite format 3', passphrase]) {
    expect(bytes.includes(canary)).toBe(false)
  }
  if (process.platform !== 'win32') expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  expect(fs.readdirSync(path.dirname(file))).toEqual([path.basename(file)])
})

test('a backup made during writes contains every earlier write', async () => {
  const { vault, dataDir, owner } = await createStoredVault()
  const many = await Promise.all(Array.from({ length: 100 }, () => owner.tokens.create(createCard())))
  let created = false
  let writesDuringBackup = 0
  const making = backUpOpenVault(vault, { dataDir }).finally(() => {
    created = true
  })
  for (; !created; writesDuringBackup++) await owner.tokens.create(createCard())
  const { file } = await making
  expect(writesDuringBackup).toBeGreaterThan(3)
  const copy = await restoreAndLock({ file, dataDir, name: 'copy', with: { passphrase }, protection: fresh })
  for (const { id } of many) await createOwnerClient(copy).tokens.get({ id })
})

test('X-31 a vault open in another process can be backed up with its credential', async () => {
  const { folder, dataDir, owner, recovery_key } = await createStoredVault()
  const token = await owner.tokens.create(createCard())
  const out = path.join(folder, 'out')
  const results = runSteps([{ do: 'backup', dataDir, name, with: { recovery_key }, out }], folder)
  expect(results).toEqual(['asked'])
  await owner.tokens.create(createCard())
  const copy = await restoreAndLock({
    file: out,
    dataDir,
    name: 'copy',
    with: { recovery_key },
    protection: fresh,
  })
  expect((await createOwnerClient(copy).tokens.get({ id: token.id })).id).toBe(token.id)
  const wrong = backUpVaultFiles({ dataDir, name, with: { passphrase: 'wrong' }, file: `${out}2` })
  await expect(wrong).rejects.toMatchObject({ code: 'unauthenticated' })
})

test('X-25 a backup that is cancelled or interrupted by a lock leaves no file', async () => {
  const { vault, dataDir, folder, owner } = await createStoredVault()
  // A backup of 20 MB takes long enough to be still in progress when it is cancelled, even on a busy machine.
  const large = { type: 'token', data: 'x'.repeat(2_000_000) } as const
  for (let created = 0; created < 10; created++) await owner.tokens.create(large)
  const file = path.join(folder, 'cancelled')
  const controller = new AbortController()
  const cancelled = backUpOpenVault(
    vault,
    { dataDir, file },
    { signal: controller.signal, onProgress: () => controller.abort() },
  )
  await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' })
  const stopped = backUpOpenVault(vault, { dataDir, file })
  setImmediate(() => vault.lock())
  await expect(stopped).rejects.toMatchObject({ code: 'cancelled' })
  expect(fs.readdirSync(folder)).toEqual(['data'])
})

test('backup progress rises to its total', { tags: 'thorough' }, async () => {
  const { vault, dataDir } = await createStoredVault()
  const progress: number[] = []
  await backUpOpenVault(vault, { dataDir }, { onProgress: (done, total) => progress.push(done / total) })
  expect(progress).toEqual([...progress].sort((a, b) => a - b))
  expect(progress.at(-1)).toBe(1)
})

test('X-24 a crash at any step of a backup leaves no backup or a complete one', async () => {
  const { folder, vault } = await createVaultWithBackup()
  const out = path.join(folder, 'out')
  const job = { ...vault.files, master: vault.withMaster((each) => each), reason: 'asked', now: 0 } as const
  const images = await captureCrashImages(folder, () => makeVerifiedBackup({ ...job, out }))
  const outcomes: string[] = []
  const tested = pickSome(images, 4)
  for (const image of images) {
    const file = path.join(image, 'out')
    outcomes.push(fs.existsSync(file) ? 'whole' : 'none')
    if (outcomes.at(-1) === 'none') {
      if (!tested.includes(image)) continue
      makeVerifiedBackup({ ...job, out: file })
    }
    readBackupFile(file, { master: job.master })
    if (outcomes.at(-1) === 'none') expect(fs.readdirSync(image).sort()).toEqual(['data', 'out'])
  }
  expect(outcomes.join(' ')).toMatch(/^(none ){5,}(whole ?)+$/)
})

test('X-24 a crash at any step of a restore leaves no vault or a complete one', {
  tags: 'thorough',
}, async () => {
  const { folder, file, token } = await createVaultWithBackup()
  const elsewhere = path.join(folder, 'elsewhere')
  fs.mkdirSync(elsewhere)
  const target = { file, name, with: { passphrase }, protection: fresh }
  const images = await captureCrashImages(elsewhere, async () => {
    const vault = await restoreAndLock({ ...target, dataDir: elsewhere })
    vault.lock()
  })
  const outcomes: string[] = []
  for (const dataDir of images) {
    const whole = fs.existsSync(path.join(dataDir, name))
    const vault = whole
      ? await openStoredVault({ dataDir, name, with: fresh })
      : await restoreAndLock({ ...target, dataDir })
    expect((await createOwnerClient(vault).tokens.get({ id: token.id })).id).toBe(token.id)
    vault.lock()
    expect(fs.readdirSync(dataDir).sort()).toEqual(['.vault-work', 'work', 'work.lock'])
    outcomes.push(whole ? 'whole' : 'none')
  }
  expect(outcomes.join(' ')).toMatch(/^(none ){5,}(whole ?)+$/)
})

test('a vault is backed up before a migration, and not migrated if the backup fails', async () => {
  const { folder, dataDir, vault, token } = await createVaultWithBackup()
  const { database } = vault.files
  const master = copyMaster(vault)
  vault.lock()
  fs.rmSync(path.join(dataDir, 'backups'), { recursive: true })
  const next = {
    version: migrations.length + 1,
    name: 'drop',
    up: (db: { exec(sql: string): unknown }) => void db.exec('DROP TABLE token'),
  }
  const migrateVault = (beforeMigrating: () => void) => {
    const db = openDatabase(database, deriveDatabaseKey(master), { create: false })
    try {
      migrateDatabase(db, [...migrations, next], { beforeMigrating })
    } finally {
      db.close()
    }
  }
  fs.writeFileSync(path.join(dataDir, 'backups'), 'in the way')
  expect(() => migrateVault(() => backUpBeforeMigrating(dataDir, name, master, Date.now()))).toThrow(
    /is not a folder/,
  )
  fs.rmSync(path.join(dataDir, 'backups'))
  migrateVault(() => backUpBeforeMigrating(dataDir, name, master, Date.now()))
  const [backup] = listBackups(dataDir, name)
  expect(backup).toMatchObject({ reason: 'before migrating', format: migrations.length })
  const elsewhere = { dataDir: path.join(folder, 'elsewhere'), name, with: { passphrase }, protection: fresh }
  const copy = await restoreAndLock({ ...elsewhere, file: backup?.file ?? '' })
  expect((await createOwnerClient(copy).tokens.get({ id: token.id })).id).toBe(token.id)
})

test.each([
  [[], 0, false],
  [[], 2, true],
  [[-25], 50, true],
  [[-25, -1], 50, false],
  [[-23], 50, false],
  // The second backup was made before the clock was set back.
  [[-25, 30], 50, true],
])('with backups at %j hours from now, a vault %i hours old is due for a backup: %s', (made, age, due) => {
  const now = Date.parse('2030-06-01T12:00:00Z')
  const formatHoursFromNow = (hours: number) => new Date(now + hours * HOUR).toISOString()
  const backups = made.map(
    (hours) => ({ file: '', vault_id: 'a', made_at: formatHoursFromNow(hours) }) satisfies BackupSummary,
  )
  const other = { file: '', vault_id: 'b', made_at: formatHoursFromNow(0) }
  expect(isBackupDue([...backups, other], { vault_id: 'a', created_at: formatHoursFromNow(-age) }, now)).toBe(
    due,
  )
})

test('X-45 daily backups continue while the clock is far ahead, but are not pruned', {
  tags: 'thorough',
}, async () => {
  const clock = new Clock()
  const dataDir = path.join(createTempFolder(), 'data')
  const protection = { passphrase, argon2id }
  const { vault } = await createVault({ dataDir, name, protection, engine: { now: clock.now } })
  onTestFinished(() => vault.lock())
  const settings = { backup_daily: true, backups_kept: 2 }
  const daily = new DailyBackups({
    dataDir,
    now: clock.now,
    settings: () => settings,
    onProblem: (sentence) => expect.fail(sentence),
  })
  const day = 24 * HOUR
  const countBackups = () => listBackups(dataDir, vault.name).length
  for (let count = 0; count < 2; count++) {
    clock.advance(day)
    await vault.engine.sweeper.sweep()
    await daily.backUpIfDue(vault)
  }
  expect(countBackups()).toBe(2)
  clock.advance(731 * day)
  await daily.backUpIfDue(vault)
  expect(countBackups()).toBe(3)
  vault.engine.clock.acceptTime()
  clock.advance(day)
  await daily.backUpIfDue(vault)
  expect(countBackups()).toBe(2)
})

test('daily backups are pruned to the limit, and manual and foreign ones are retained', async () => {
  const { dataDir, vault } = await createStoredVault()
  let now = Date.now()
  const problems: string[] = []
  const settings = { backup_daily: true, backups_kept: 2 }
  const daily = new DailyBackups({
    dataDir,
    now: () => now,
    settings: () => settings,
    onProblem: (sentence) => problems.push(sentence),
  })
  await backUpOpenVault(vault, { dataDir, now })
  const ownFolder = path.join(dataDir, 'backups', name)
  const [manual] = fs.readdirSync(ownFolder)
  const elsewhere = path.join(dataDir, 'old')
  const old = await createVault({ dataDir: elsewhere, name, protection: { passphrase, argon2id } })
  const foreign = await backUpOpenVault(old.vault, {
    dataDir: elsewhere,
    reason: 'daily',
    now: now - 48 * HOUR,
  })
  old.vault.lock()
  fs.renameSync(foreign.file, path.join(ownFolder, path.basename(foreign.file)))
  for (let day = 0; day < 3; day++) {
    now += 25 * HOUR
    await daily.backUpIfDue(vault)
    await daily.backUpIfDue(vault)
  }
  const stored = listBackups(dataDir, name)
  expect(stored.map(({ reason }) => reason)).toEqual(['daily', 'daily', 'asked', 'daily'])
  expect(fs.readdirSync(ownFolder)).toEqual(expect.arrayContaining([manual, path.basename(foreign.file)]))
  settings.backup_daily = false
  now += 25 * HOUR
  await daily.backUpIfDue(vault)
  expect(listBackups(dataDir, name)).toHaveLength(4)
  settings.backup_daily = true
  fs.rmSync(path.join(dataDir, 'backups'), { recursive: true })
  fs.writeFileSync(path.join(dataDir, 'backups'), 'in the way')
  await daily.backUpIfDue(vault)
  expect(problems).toEqual([expect.stringContaining('The daily backup failed.')])
})

test('X-27 after the clock is set back, backups dated in the future are pruned first', {
  tags: 'thorough',
}, async () => {
  const { dataDir, vault } = await createStoredVault()
  const today = Date.now()
  let now = today + 400 * 24 * HOUR
  const settings = { backup_daily: true, backups_kept: 2 }
  const onProblem = (sentence: string) => expect.fail(sentence)
  const daily = new DailyBackups({ dataDir, now: () => now, settings: () => settings, onProblem })
  const listBackupTimes = () => listBackups(dataDir, name).map(({ made_at }) => Date.parse(made_at ?? ''))
  for (let day = 0; day < 2; day++) {
    now += 25 * HOUR
    await daily.backUpIfDue(vault)
  }
  const [latest, earlier] = listBackupTimes()
  now = today + 2 * HOUR
  await daily.backUpIfDue(vault)
  await daily.backUpIfDue(vault)
  expect(listBackupTimes()).toEqual([latest, now])
  expect(earlier).toBeGreaterThan(now)
})

afterEach(() => {
  vi.useRealTimers()
})

test('a backup made in the window is listed, verified and restored after its vault is deleted', async () => {
  const { window, dataDir, events } = startHost()
  const created = await window.host.createVault({ name, protection: { passphrase } })
  const token = await window.tokens.create(createCard())
  const { file } = await window.host.backup({})
  expect(events.filter((event) => event.type === 'progress').at(-1)).toMatchObject({ job: 'backup' })
  await window.host.lock()
  await expect(window.host.backup({})).rejects.toMatchObject({ code: 'locked' })
  fs.rmSync(path.join(dataDir, name), { recursive: true })
  const { backups } = await window.host.listBackups({ name })
  expect(backups).toMatchObject([{ file, name, reason: 'asked', protection: 'passphrase' }])
  const recovery_key = created.recovery_key ?? ''
  expect(await window.host.verifyBackup({ file })).toMatchObject({ checked: 'checksum' })
  expect(await window.host.verifyBackup({ file, with: { recovery_key } })).toMatchObject({
    checked: 'database',
  })
  await window.host.restore({ file, name, with: { recovery_key }, protection: { passphrase } })
  expect((await window.tokens.get({ id: token.id })).id).toBe(token.id)
  expect((await window.host.status()).vault).toMatchObject({ name, protection: 'passphrase' })
  expect(readBackupHead(file).header.vault_id).toBe((await window.host.status()).vault?.tenant_id)
})

test('an in-memory vault cannot be backed up, and no vault can be named "backups"', async () => {
  const { window } = startHost()
  await window.host.createVault({ name: 'demo', protection: { memory: true } })
  await expect(window.host.backup({})).rejects.toMatchObject({ code: 'invalid' })
  const reserved = window.host.createVault({ name: 'backups', protection: { passphrase } })
  await expect(reserved).rejects.toMatchObject({ code: 'invalid' })
})
