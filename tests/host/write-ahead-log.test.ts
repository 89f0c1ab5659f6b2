import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { openDatabase } from '../../electron/engine/db/open.ts'
import { getVaultFiles } from '../../electron/host/files/vault-files.ts'
import { createVault } from '../../electron/host/vault/create-vault.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import type { OpenVault } from '../../electron/host/vault/vault.ts'
import type { CofferError } from '../../shared/errors.ts'
import { toFirstFormat } from '../first-format.ts'
import { createRandom } from '../soak/create-random.ts'
import { chooseDamage, digestFolder, flipBit, openDamaged } from '../soak/damage-log.ts'
import { isThorough, pickSome } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { copyMaster } from './stored-vault.ts'

const name = 'work'
const owner = { kind: 'owner' } as const
const protection = {
  passphrase: 'the right passphrase',
  argon2id: { memory_kib: 64, iterations: 1, parallelism: 1 },
}
const FRAME = 24 + 4096

async function createTokens(vault: OpenVault, count: number): Promise<Map<string, string>> {
  const answered = new Map<string, string>()
  for (let number = 0; number < count; number++) {
    const data = `value ${number}`
    const { output } = await vault.engine.call('tokens.create', { type: 'token', data }, owner)
    answered.set((output as { id: string }).id, data)
  }
  return answered
}

/** Returns a copy of a data folder in the state in which kill -9 leaves it, and the acknowledged writes. */
async function copyKilledVault(before = 5, after = 40) {
  const dataDir = path.join(createTempFolder(), 'data')
  const made = await createVault({ dataDir, name, protection })
  const early = await createTokens(made.vault, before)
  made.vault.lock()
  const vault = await openVault({ dataDir, name, with: protection })
  onTestFinished(() => vault.lock())
  const late = await createTokens(vault, after)
  const copy = copyDataDir(dataDir)
  return { dataDir: copy, files: getVaultFiles(copy, name), vault, answered: new Map([...early, ...late]) }
}

function copyDataDir(dataDir: string): string {
  const copy = path.join(createTempFolder(), 'data')
  fs.cpSync(dataDir, copy, { recursive: true })
  return copy
}

const openCopy = (dataDir: string) => openVault({ dataDir, name, with: protection })

/** Expects that opening the vault fails without a change of any file, and returns the error. */
async function catchRefusal(dataDir: string): Promise<CofferError> {
  const { folder } = getVaultFiles(dataDir, name)
  const before = digestFolder(folder)
  const error = await openCopy(dataDir).then(
    (vault) => {
      vault.lock()
      throw new Error('it opened')
    },
    (refusal: unknown) => refusal as CofferError,
  )
  expect(digestFolder(folder)).toBe(before)
  return error
}

async function expectAll(dataDir: string, answered: ReadonlyMap<string, string>): Promise<void> {
  await using vault = await openCopy(dataDir)
  for (const [id, data] of answered) {
    const { output } = await vault.engine.call('tokens.reveal', { id }, owner)
    expect(output).toMatchObject({ data })
  }
}

test('X-41 a killed vault opens with every write of its log, as often as it is opened', async () => {
  const { dataDir, answered } = await copyKilledVault()
  await expectAll(dataDir, answered)
  await expectAll(dataDir, answered)
})

/** The number of positions that are damaged, one per run. */
const places = isThorough ? 60 : 6

test('X-41 X-47 a vault with a damaged log is rejected, or opens with every write', async () => {
  const from = await copyKilledVault()
  const { size } = fs.statSync(`${from.files.database}-wal`)
  const random = createRandom(41)
  const home = createTempFolder()
  const problems: string[] = []
  let refusals = 0
  for (let round = 0; round < places; round++) {
    const order = { ...from, name, with: protection }
    const { outcome, problem } = await openDamaged(
      order,
      path.join(home, `${round}`),
      chooseDamage(size, random),
    )
    if (problem !== undefined) problems.push(problem)
    if (outcome === 'refused') refusals++
  }
  expect(problems).toEqual([])
  expect(refusals).toBeGreaterThan((places * 5) / 6)
})

test('X-41 the error states exactly how many commits would be lost', async () => {
  const { dataDir, files } = await copyKilledVault()
  const log = `${files.database}-wal`
  const whole = fs.readFileSync(log)
  const countCommits = () => {
    let found = 0
    for (let at = 32; at < whole.length; at += FRAME) if (whole.readUInt32BE(at + 4) !== 0) found++
    return found
  }
  fs.truncateSync(log, 0)
  expect((await catchRefusal(dataDir)).lost_commits).toBe(countCommits())
  fs.rmSync(log)
  expect((await catchRefusal(dataDir)).lost_commits).toBe(countCommits())
  fs.writeFileSync(log, whole)
  flipBit(log, whole.length - 100, 3)
  const error = await catchRefusal(dataDir)
  expect(error).toMatchObject({ code: 'damaged', lost_commits: 1 })
  expect(error.message).toMatch(/would lose 1 commit that had been confirmed/)
})

test('X-41 a log of another vault, or with a flipped bit at its start, is rejected', async () => {
  const { dataDir, files } = await copyKilledVault()
  const yesterday = (await copyKilledVault()).files
  const log = `${files.database}-wal`
  const whole = fs.readFileSync(log)
  for (const at of pickSome([0, 9, 17, 21, 27], 2)) {
    flipBit(log, at, 1)
    expect((await catchRefusal(dataDir)).lost_commits).toBeGreaterThan(40)
    fs.writeFileSync(log, whole)
  }
  fs.copyFileSync(`${yesterday.database}-wal`, log)
  expect((await catchRefusal(dataDir)).lost_commits).toBeGreaterThan(40)
})

test('X-41 a log next to a cleanly closed vault is rejected', async () => {
  const { dataDir, files } = await copyKilledVault()
  const log = fs.readFileSync(`${files.database}-wal`)
  const vault = await openCopy(dataDir)
  vault.lock()
  fs.writeFileSync(`${files.database}-wal`, log)
  expect(await catchRefusal(dataDir)).toMatchObject({ lost_commits: 0 })
})

test('X-42 an old vault.db and log with the current commit count are rejected', {
  tags: 'thorough',
}, async () => {
  const { dataDir, files } = await copyKilledVault()
  const [yesterday, log] = ['', '-wal'].map((end) => fs.readFileSync(files.database + end)) as [
    Buffer,
    Buffer,
  ]
  const today = await openCopy(dataDir)
  await createTokens(today, 7)
  today.lock()
  fs.writeFileSync(files.database, yesterday)
  fs.writeFileSync(`${files.database}-wal`, log)
  expect((await catchRefusal(dataDir)).lost_commits).toBeGreaterThan(7)
})

test('X-41 a vault without a commit count opens, unless an inner frame of its log is damaged', {
  tags: 'thorough',
}, async () => {
  const dataDir = path.join(createTempFolder(), 'data')
  const { vault } = await createVault({ dataDir, name, protection })
  const answered = await createTokens(vault, 5)
  const master = copyMaster(vault)
  vault.lock()
  const { database, count } = vault.files
  toFirstFormat({ file: database, master })
  expect(fs.existsSync(count)).toBe(false)
  const db = openDatabase(database, deriveDatabaseKey(master), { create: false })
  for (let number = 0; number < 4; number++) db.exec("UPDATE tenant SET name = name || 'x'")
  const [before, cut, unfinished] = [0, 1, 2].map(() => copyDataDir(dataDir)) as [string, string, string]
  db.close()
  const logIn = (folder: string) => `${getVaultFiles(folder, name).database}-wal`
  const { size } = fs.statSync(logIn(before))
  flipBit(logIn(cut), size - 2 * FRAME - 5, 1)
  expect(await catchRefusal(cut)).toMatchObject({ lost_commits: 3 })
  flipBit(logIn(unfinished), size - 5, 1)
  await expectAll(unfinished, answered)
  await expectAll(before, answered)
  // From now on the vault has a commit count, and is rejected without it.
  fs.rmSync(getVaultFiles(before, name).count)
  expect((await catchRefusal(before)).message).toMatch(/vault\.db-commits/)
})

test('X-42 an old vault.db with the current commit count is rejected', async () => {
  const dataDir = path.join(createTempFolder(), 'data')
  const { vault } = await createVault({ dataDir, name, protection })
  await createTokens(vault, 3)
  vault.lock()
  const yesterday = fs.readFileSync(vault.files.database)
  const again = await openCopy(dataDir)
  await createTokens(again, 7)
  again.lock()
  const today = fs.readFileSync(vault.files.database)
  fs.writeFileSync(vault.files.database, yesterday)
  const error = await catchRefusal(dataDir)
  expect(error.message).toMatch(/vault\.db is older than the count/)
  // The ten commits are seven creates, the rows of the opening and of the close, and the number of encryptions at the
  // close.
  expect(error.lost_commits).toBe(10)
  fs.writeFileSync(vault.files.database, today)
  ;(await openCopy(dataDir)).lock()
})

test('X-42 a missing, damaged or older commit count is rejected', async () => {
  const { dataDir, files } = await copyKilledVault()
  ;(await openCopy(dataDir)).lock()
  const older = fs.readFileSync(files.count)
  ;(await openCopy(dataDir)).lock()
  const count = fs.readFileSync(files.count)
  for (const wrong of [undefined, Buffer.alloc(0), Buffer.alloc(count.length), older]) {
    if (wrong) fs.writeFileSync(files.count, wrong)
    else fs.rmSync(files.count)
    expect((await catchRefusal(dataDir)).message).toMatch(/The count of commits \(vault\.db-commits\) is/)
  }
  fs.writeFileSync(files.count, count)
  ;(await openCopy(dataDir)).lock()
})

test('X-42 a commit count with one damaged slot is read from the other slot', async () => {
  const { dataDir, files, answered } = await copyKilledVault()
  const count = fs.readFileSync(files.count)
  // The older of the two slots is damaged.
  const first = count.readBigUInt64BE(32) < count.readBigUInt64BE(512 + 32) ? 0 : 512
  count.fill(0, first, first + 128)
  fs.writeFileSync(files.count, count)
  await expectAll(dataDir, answered)
})

test('a vault copied by hand opens, and so does its original', {
  tags: 'thorough',
}, async () => {
  const { dataDir, answered } = await copyKilledVault()
  const copy = copyDataDir(dataDir)
  await expectAll(copy, answered)
  await expectAll(dataDir, answered)
})

async function acceptCommits(dataDir: string, commits: number) {
  let aside = ''
  const onPutAside = (folder: string) => {
    aside = folder
  }
  const vault = await openVault({
    dataDir,
    name,
    with: protection,
    accept_loss: { commits, onSetAside: onPutAside },
  })
  onTestFinished(() => vault.lock())
  return { vault, aside }
}

test('X-25 X-41 if opening a vault fails to write the commit count, the next opening succeeds', {
  tags: 'thorough',
}, async () => {
  const { dataDir, answered } = await copyKilledVault(2, 5)
  const write = fs.writeSync
  let refusals = 0
  for (let from = 1; from <= 8; from++) {
    const copy = copyDataDir(dataDir)
    let left = from
    const failing = vi.spyOn(fs, 'writeSync').mockImplementation(((...args: Parameters<typeof write>) => {
      if (--left <= 0) throw Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'write' })
      return write(...args)
    }) as typeof write)
    try {
      ;(await openCopy(copy)).lock()
    } catch (error) {
      refusals++
      expect(error).toMatchObject({ code: 'storage_full' })
    } finally {
      failing.mockRestore()
    }
    await expectAll(copy, answered)
  }
  expect(refusals).toBeGreaterThan(2)
})

test('X-25 X-41 if the commit count cannot be written while the vault is open, no write is lost', async () => {
  const { dataDir, answered } = await copyKilledVault(2, 5)
  const vault = await openCopy(dataDir)
  const failing = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
    throw Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'write' })
  })
  const more = await createTokens(vault, 3)
  vault.lock()
  failing.mockRestore()
  await expectAll(dataDir, new Map([...answered, ...more]))
  expect(fs.readdirSync(vault.files.folder).sort()).toEqual(['vault.db', 'vault.db-commits', 'vault.json'])
})

test('X-41 accepting a loss requires the exact number of commits, and first copies all files', async () => {
  const { dataDir, files, answered } = await copyKilledVault()
  const log = `${files.database}-wal`
  flipBit(log, fs.statSync(log).size - 3 * FRAME, 0)
  const damaged = digestFolder(files.folder)
  const { lost_commits = 0 } = await catchRefusal(dataDir)
  expect(lost_commits).toBeGreaterThan(0)
  await expect(acceptCommits(dataDir, lost_commits + 1)).rejects.toMatchObject({
    code: 'damaged',
    lost_commits,
  })
  expect(digestFolder(files.folder)).toBe(damaged)
  expect(fs.readdirSync(dataDir).filter((each) => each.includes('aside'))).toEqual([])

  const { vault, aside } = await acceptCommits(dataDir, lost_commits)
  expect(path.dirname(aside)).toBe(dataDir)
  expect(digestFolder(aside)).toBe(damaged)
  if (process.platform !== 'win32') expect(fs.statSync(aside).mode & 0o777).toBe(0o700)
  const found = await Promise.all(
    [...answered.keys()].map((id) =>
      vault.engine.call('tokens.get', { id }, owner).then(
        () => 1,
        () => 0 as number,
      ),
    ),
  )
  const left = found.reduce((sum, each) => sum + each, 0)
  expect(answered.size - left).toBeLessThanOrEqual(lost_commits)
  const { output } = await vault.engine.call('logs.list', { action: 'vault.accepted_loss' }, owner)
  expect((output as { data: unknown[] }).data).toHaveLength(1)
  vault.lock()
  ;(await openCopy(dataDir)).lock()
  await expect(acceptCommits(dataDir, lost_commits)).rejects.toMatchObject({ code: 'invalid' })
})

test('X-41 X-42 a vault with a missing or damaged log or count opens once its owner accepts the loss', async () => {
  const cases: [string, (from: Awaited<ReturnType<typeof copyKilledVault>>) => void][] = [
    ['a missing log', ({ files }) => fs.rmSync(`${files.database}-wal`)],
    ['a missing count', ({ files }) => fs.rmSync(files.count)],
    ['a damaged count', ({ files }) => fs.writeFileSync(files.count, 'x')],
    ['a bad frame before many commits', ({ files }) => flipBit(`${files.database}-wal`, 32 + 9 * FRAME, 0)],
    ['a truncated log', ({ files }) => fs.truncateSync(`${files.database}-wal`, 32 + 9 * FRAME)],
  ]
  for (const [what, damage] of pickSome(cases, 2)) {
    const from = await copyKilledVault(3, 10)
    damage(from)
    const { lost_commits } = await catchRefusal(from.dataDir)
    const { vault } = await acceptCommits(from.dataDir, lost_commits ?? -1)
    await createTokens(vault, 2)
    vault.lock()
    const again = await openCopy(from.dataDir)
    again.lock()
    expect(fs.existsSync(`${from.files.database}-wal.left`), what).toBe(false)
  }
})

test("X-41 accepting a loss removes another vault's log and nothing else", {
  tags: 'thorough',
}, async () => {
  const { dataDir, files, answered } = await copyKilledVault(3, 5)
  const other = await copyKilledVault(3, 5)
  ;(await openCopy(dataDir)).lock()
  fs.copyFileSync(`${other.files.database}-wal`, `${files.database}-wal`)
  expect(await catchRefusal(dataDir)).toMatchObject({ lost_commits: 0 })
  const { vault, aside } = await acceptCommits(dataDir, 0)
  expect(fs.existsSync(path.join(aside, 'vault.db-wal'))).toBe(true)
  vault.lock()
  await expectAll(dataDir, answered)
})

test('X-41 without space for the copy, a loss is not accepted and nothing changes', async () => {
  const { dataDir, files } = await copyKilledVault(2, 5)
  fs.rmSync(`${files.database}-wal`)
  const { lost_commits = 0 } = await catchRefusal(dataDir)
  const before = digestFolder(files.folder)
  vi.spyOn(fs, 'copyFileSync').mockImplementation(() => {
    throw Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'copyfile' })
  })
  onTestFinished(() => void vi.restoreAllMocks())
  await expect(acceptCommits(dataDir, lost_commits)).rejects.toMatchObject({ code: 'storage_full' })
  expect(digestFolder(files.folder)).toBe(before)
  expect(fs.readdirSync(dataDir).filter((each) => each.includes('aside'))).toEqual([])
})
