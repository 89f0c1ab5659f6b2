import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { checkDatabase } from '../../electron/engine/db/copy-database.ts'
import { toCofferError } from '../../electron/engine/db/storage-error.ts'
import { readBackupFile } from '../../electron/host/backups/backup-file.ts'
import { isBackupLeftover, makeVerifiedBackup } from '../../electron/host/backups/verified-backup.ts'
import { readHeader } from '../../electron/host/files/header.ts'
import { protectMaster } from '../../electron/host/keys/protection.ts'
import { newRecoveryKey } from '../../electron/host/keys/recovery-key.ts'
import { renewRecoveryKey } from '../../electron/host/maintenance/renew-recovery-key.ts'
import { rotateMaster } from '../../electron/host/maintenance/rotate-master.ts'
import { createVault } from '../../electron/host/vault/create-vault.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { restoreVault } from '../../electron/host/vault/restore-vault.ts'
import { CofferError } from '../../shared/errors.ts'
import { findBundle } from '../find-bundle.ts'
import { isThorough, pickSome } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { giveToOtherUser, runSteps } from './run-steps.ts'
import type { ProgramStep } from './steps.ts'
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

/**
 * With `COFFER_FAULTS=every`, every call fails with every fault, which takes minutes. Otherwise, each call fails with
 * one of the faults, in rotation.
 */
const every = process.env.COFFER_FAULTS === 'every'
const calls = [
  'mkdirSync',
  'openSync',
  'writeFileSync',
  'renameSync',
  'fsyncSync',
  'readFileSync',
  'readSync',
  ...(every ? (['copyFileSync', 'rmSync', 'readdirSync', 'fstatSync'] as const) : []),
] as const
/** `short` writes half of the data and then reports a full disk. */
const faults = ['ENOSPC', 'EIO', 'EMFILE', 'EROFS', 'short'] as const
type WriteFault = (typeof faults)[number]

const TIMEOUT_MS = every ? 600_000 : 60_000

/** The faults with which the n-th call fails, one per run. */
const getFaults = (at: number): readonly WriteFault[] =>
  every ? faults : [faults[at % faults.length] ?? 'EIO']
const protection = { passphrase, argon2id }
const fresh = { passphrase: 'battery staple', argon2id }

/** Loads every module before the tests, because a failed import is never repeated. */
beforeAll(async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-test-'))
  const { vault } = await createVault({ dataDir: path.join(folder, 'data'), name, protection })
  vault.lock()
  fs.rmSync(folder, { recursive: true })
})

/** Runs an action whose n-th file system call fails. Returns the error, and whether the action made that many calls. */
async function runWithFault(at: number, fault: WriteFault, act: () => unknown) {
  let left = at
  const code = fault === 'short' ? 'ENOSPC' : fault
  const originals = calls.map((call) => [call, fs[call]] as const)
  for (const [call, original] of originals) {
    const failOrCall = (...args: unknown[]) => {
      if (--left === 0) {
        if (fault === 'short' && call === 'writeFileSync') writeHalf(args, original)
        throw Object.assign(new Error(`${code}: injected`), { code })
      }
      return (original as (...args: unknown[]) => unknown)(...args)
    }
    Object.assign(fs, { [call]: failOrCall })
  }
  try {
    await act()
    return { reached: left <= 0, error: undefined }
  } catch (error) {
    return { reached: left <= 0, error: toCofferError(error) }
  } finally {
    Object.assign(fs, Object.fromEntries(originals))
  }
}

function writeHalf([file, content, ...more]: unknown[], original: unknown): void {
  const bytes = Buffer.from(content as string | Buffer)
  const write = original as (...args: unknown[]) => void
  write(file, bytes.subarray(0, bytes.length >> 1), ...more)
}

/** Returns the entries of a data folder, without the file that records the failed call. */
function withoutIncidents(dataDir: string): string[] {
  return fs
    .readdirSync(dataDir)
    .filter((each) => each !== 'incidents.log')
    .sort()
}

/**
 * Runs an action repeatedly, each time with a later file system call failing, until it makes no such call. `checkResult`
 * checks the result of each run. Returns the number of calls.
 */
async function failEachCall(
  act: (place: string) => unknown,
  checkResult: (place: string, failed: boolean) => Promise<void>,
  step = 1,
) {
  for (let at = 1; ; at += every ? 1 : isThorough ? step : 16 * step) {
    let isReached = false
    for (const fault of getFaults(at)) {
      const toLocation = `${at} ${fault}`
      const { reached, error } = await runWithFault(at, fault, () => act(toLocation))
      if (error) {
        expect(error).toBeInstanceOf(CofferError)
        expect(['storage_full', 'unavailable'], `call ${toLocation}: ${error.message}`).toContain(error.code)
      }
      await checkResult(toLocation, error !== undefined)
      isReached ||= reached
    }
    if (!isReached) return at - 1
  }
}

test(
  'X-25 a failed file system call during a creation leaves no vault or a complete one',
  async () => {
    const folder = createTempFolder()
    const toLocation = (at: string) => ({ dataDir: path.join(folder, at), name })
    const count = await failEachCall(
      async (at) => {
        const { vault } = await createVault({ ...toLocation(at), protection })
        vault.lock()
      },
      async (at) => {
        const exists = fs.existsSync(path.join(folder, at, name))
        if (exists) (await openStoredVault({ ...toLocation(at), with: { passphrase } })).lock()
        else (await createVault({ ...toLocation(at), protection })).vault.lock()
        expect(withoutIncidents(toLocation(at).dataDir)).toEqual([`.vault-${name}`, name, `${name}.lock`])
      },
    )
    expect(count).toBeGreaterThan(10)
  },
  TIMEOUT_MS,
)

test(
  'X-25 a failed file system call during a passphrase change leaves the old or the new one',
  async () => {
    const { dataDir, vault } = await createStoredVault()
    const before = fs.readFileSync(vault.files.header)
    const master = copyMaster(vault)
    vault.lock()
    const count = await failEachCall(
      () => protectMaster(vault.files.header, master, fresh),
      async (_, failed) => {
        const isOld = fs.readFileSync(vault.files.header).equals(before)
        if (!failed) expect(isOld).toBe(false)
        ;(await openStoredVault({ dataDir, name, with: isOld ? { passphrase } : fresh })).lock()
        fs.writeFileSync(vault.files.header, before)
      },
    )
    expect(count).toBeGreaterThan(3)
  },
  TIMEOUT_MS,
)

test(
  'X-25 a failed file system call during a backup leaves no backup or a complete one',
  async () => {
    const { folder, vault, owner } = await createStoredVault()
    const token = await owner.tokens.create(createCard())
    const master = copyMaster(vault)
    const outs = path.join(folder, 'outs')
    fs.mkdirSync(outs)
    const count = await failEachCall(
      (at) =>
        makeVerifiedBackup({ ...vault.files, master, out: path.join(outs, at), reason: 'asked', now: 0 }),
      async () => {
        const left = fs.readdirSync(outs)
        // Leftovers that could not be removed are recognizable by their name.
        const backups = left.filter((each) => !isBackupLeftover(each))
        for (const each of backups) readBackupFile(path.join(outs, each), { master })
        expect((await owner.tokens.get({ id: token.id })).id).toBe(token.id)
        await owner.tokens.create(createCard())
      },
    )
    expect(count).toBeGreaterThan(8)
  },
  TIMEOUT_MS,
)

test(
  'X-25 a failed file system call during a restore leaves no vault or a complete one',
  async () => {
    const { folder, vault } = await createStoredVault()
    const master = copyMaster(vault)
    const file = path.join(folder, 'backup')
    makeVerifiedBackup({ ...vault.files, master, out: file, reason: 'asked', now: 0 })
    const restoreCopy = async (dataDir: string) => {
      const copy = await restoreVault({ file, dataDir, name, with: { passphrase }, protection: fresh })
      copy.lock()
    }
    const count = await failEachCall(
      (at) => restoreCopy(path.join(folder, at)),
      async (at) => {
        const dataDir = path.join(folder, at)
        if (!fs.existsSync(path.join(dataDir, name))) await restoreCopy(dataDir)
        ;(await openStoredVault({ dataDir, name, with: fresh })).lock()
        expect(withoutIncidents(dataDir)).toEqual([`.vault-${name}`, name, `${name}.lock`])
      },
      3,
    )
    expect(count).toBeGreaterThan(10)
  },
  TIMEOUT_MS,
)

test(
  'X-25 the vault opens after a failed file system call during a master secret change',
  async () => {
    const { dataDir, vault, owner } = await createStoredVault()
    const token = await owner.tokens.create(createCard())
    vault.lock()
    const openWork = () => openVault({ dataDir, name, with: { passphrase } })
    let work = await openWork()
    onTestFinished(() => work.lock())
    await failEachCall(
      () => rotateMaster(work, protection),
      async () => {
        expect((await createOwnerClient(work).tokens.get({ id: token.id })).id).toBe(token.id)
        // The next key change completes or removes what a failed one left.
        const recovery = { recovery_key: newRecoveryKey() }
        await renewRecoveryKey(work, { ...recovery, protection: 'keepMaster' })
        work.lock()
        ;(await openStoredVault({ dataDir, name, with: recovery })).lock()
        expect(readHeader(vault.files.header).next).toBeUndefined()
        work = await openWork()
        expect((await createOwnerClient(work).tokens.get({ id: token.id })).id).toBe(token.id)
      },
      2,
    )
  },
  TIMEOUT_MS,
)

test('X-25 a backup and a restore succeed even if no file can be removed', async () => {
  const { folder, dataDir, vault } = await createStoredVault()
  const master = copyMaster(vault)
  vault.lock()
  const working = fs.rmSync
  const rejectRemoval = () => {
    throw Object.assign(new Error('EROFS: injected'), { code: 'EROFS' })
  }
  const current = await openStoredVault({ dataDir, name, with: { passphrase } })
  Object.assign(fs, { rmSync: rejectRemoval })
  const out = path.join(folder, 'out')
  try {
    makeVerifiedBackup({ ...current.files, master, out, reason: 'asked', now: 0 })
    current.lock()
    await expect(createVault({ dataDir: path.join(folder, 'other'), name, protection })).rejects.toThrow(
      CofferError,
    )
  } finally {
    Object.assign(fs, { rmSync: working })
  }
  readBackupFile(out, { master })
  ;(await openStoredVault({ dataDir, name, with: { passphrase } })).lock()
  const { vault: other } = await createVault({ dataDir: path.join(folder, 'other'), name, protection })
  other.lock()
})

type FaultLine = { what: string; data?: string; code?: string; message?: string }

/** Runs `fault-child.ts` under a shell limit, and returns its printed lines. */
function runWithLimit(limit: string, order: object): FaultLine[] {
  const { stdout, stderr, status } = spawnSync(
    'sh',
    [
      '-c',
      `ulimit ${limit} && exec "$@"`,
      'sh',
      process.execPath,
      findBundle('fault-child'),
      JSON.stringify(order),
    ],
    { encoding: 'utf8', timeout: 60_000 },
  )
  expect(status, stderr).toBe(0)
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as FaultLine)
}

/** Expects that acknowledged writes are present, each error gives advice, and the file is intact. */
async function expectNothingLost(dataDir: string, lines: FaultLine[]) {
  for (const { code, message } of lines) {
    if (code === undefined) continue
    expect(['storage_full', 'unavailable', 'not_found'], message).toContain(code)
    if (code !== 'not_found') expect(message).toMatch(/try again/)
  }
  const vault = await openStoredVault({ dataDir, name, with: { passphrase } })
  const owner = createOwnerClient(vault)
  const deleted = new Set(
    lines
      .filter(({ what, code }) => what.startsWith('delete') && code === undefined)
      .map(({ what }) => what.slice('delete '.length)),
  )
  for (const { what, data } of lines) {
    const id = what.slice('create '.length)
    if (data === undefined) continue
    if (deleted.has(id)) await expect(owner.tokens.get({ id })).rejects.toMatchObject({ code: 'not_found' })
    else expect((await owner.tokens.reveal({ id })).data).toBe(data)
  }
  if (vault.engine.lifecycle.isRotating)
    await vault.withMaster((master) => vault.engine.lifecycle.rotateDataKey(master))
  await owner.tokens.create(createCard())
  const key = deriveDatabaseKey(vault.withMaster((master) => master))
  vault.lock()
  checkDatabase(vault.files.database, key)
}

const unix = test.runIf(process.platform !== 'win32')

unix('X-25 a vault with read-only files is rejected until they are writable, and then opens', async () => {
  const { folder, dataDir, vault } = await createStoredVault()
  vault.lock()
  fs.chmodSync(folder, 0o755)
  giveToOtherUser(dataDir)
  fs.chmodSync(vault.files.database, 0o444)
  fs.rmSync(`${vault.files.folder}.lock`)
  const steps: ProgramStep[] = [{ do: 'drop rights' }, { do: 'open', dataDir, name, with: { passphrase } }]
  const rejection = { code: 'unavailable', message: expect.stringMatching(/cannot be written.*try again/) }
  expect(runSteps(steps, folder)).toEqual([null, rejection])
  // The message advises to make the folder and its files writable.
  for (const each of fs.readdirSync(vault.files.folder))
    fs.chmodSync(path.join(vault.files.folder, each), 0o600)
  expect(runSteps(steps, folder)).toEqual([null, { tenant_id: expect.any(String) }])
})

unix.each(pickSome([1000, 700, 1600], 1))(
  'X-25 with files limited to %i blocks, writes are rejected and lose nothing',
  async (blocks) => {
    const { folder, dataDir, vault } = await createStoredVault()
    vault.lock()
    const out = path.join(folder, 'out')
    const lines = runWithLimit(`-f ${blocks}`, { dataDir, name, passphrase, out })
    expect(lines.filter(({ code }) => code !== undefined).length).toBeGreaterThan(0)
    if (lines.some(({ what, code }) => what === 'backup' && code !== undefined)) {
      expect(fs.readdirSync(folder)).toEqual(['data'])
    }
    await expectNothingLost(dataDir, lines)
  },
)

unix.each(pickSome([0, 1, 3, 5], 1))(
  'X-25 with at most %i more open files, calls are rejected and lose nothing',
  async (files_left) => {
    const { folder, dataDir, vault } = await createStoredVault()
    vault.lock()
    const lines = runWithLimit('-n 80', {
      dataDir,
      name,
      passphrase,
      out: path.join(folder, 'out'),
      files_left,
    })
    await expectNothingLost(dataDir, lines)
    if (files_left === 0) expect(lines).toMatchObject([{ what: 'open', code: 'unavailable' }])
  },
)
