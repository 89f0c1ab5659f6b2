import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findLockHolder, VaultLock } from '../../electron/host/files/vault-lock.ts'
import { findBundle } from '../find-bundle.ts'

let folder: string
let vault: string
let children: ChildProcess[]

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-test-'))
  vault = path.join(folder, 'work')
  children = []
})
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  fs.rmSync(folder, { recursive: true, force: true })
})

const program = findBundle('hold-lock')

/** Starts another process that tries to take the lock. Resolves with its output. */
async function startOther(): Promise<{ child: ChildProcess; says: string }> {
  const child = spawn(process.execPath, [program, vault], { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  const [says] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  return { child, says: says.toString() }
}

test('X-31 the error of a second process names the first process and the URL of its listener', async () => {
  const { child, says } = await startOther()
  expect(says).toBe('held')
  const known = new RegExp(
    `^The vault work is open in hold-lock\\.js \\(process ${child.pid}, since \\d{4}-.*, listening at http://127\\.0\\.0\\.1:4747\\)\\. Close it there first\\.$`,
  )
  expect(() => VaultLock.acquire(vault)).toThrow(known)
  expect(findLockHolder(vault)).toMatchObject({ pid: child.pid, url: 'http://127.0.0.1:4747' })
  expect(() => VaultLock.acquire(vault)).toThrow(known)
})

test.runIf(process.platform !== 'win32')(
  'X-31 the lock file is not readable by other users, so they cannot lock it',
  () => {
    const lock = VaultLock.acquire(vault)
    expect(fs.statSync(`${vault}.lock`).mode & 0o777).toBe(0o600)
    lock.release()
  },
)

test('X-31 the lock of a killed process is free immediately, even if its notice remains', async () => {
  const { child } = await startOther()
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(fs.existsSync(`${vault}.lock.json`)).toBe(true)
  expect(findLockHolder(vault)).toBeUndefined()
  const lock = VaultLock.acquire(vault)
  expect(findLockHolder(vault)).toMatchObject({ pid: process.pid })
  lock.release()
})

test('X-31 of several simultaneous processes exactly one can lock the vault', async () => {
  const outcomes = await Promise.all(Array.from({ length: 4 }, startOther))
  expect(outcomes.filter(({ says }) => says === 'held')).toHaveLength(1)
  expect(outcomes.filter(({ says }) => says.startsWith('conflict: The vault work is open in'))).toHaveLength(
    3,
  )
})

test('X-31 a process cannot lock a vault twice, and finding the holder does not unlock it', async () => {
  const lock = VaultLock.acquire(vault)
  expect(() => VaultLock.acquire(vault)).toThrow(/is open in/)
  expect(findLockHolder(vault)).toMatchObject({ pid: process.pid })
  expect((await startOther()).says).toMatch(/^conflict/)
  lock.release()
  lock.release()
  expect(findLockHolder(vault)).toBeUndefined()
  expect((await startOther()).says).toBe('held')
})

test.runIf(process.platform !== 'win32')(
  'X-31 a link to the folder of a vault has the same lock as the folder',
  () => {
    fs.mkdirSync(vault)
    const alias = path.join(folder, 'alias')
    fs.symlinkSync(vault, alias)
    const lock = VaultLock.acquire(alias)
    expect(() => VaultLock.acquire(vault)).toThrow(/is open in/)
    lock.release()
  },
)

test('X-31 the lock notice contains no secret and no command argument', () => {
  const lock = VaultLock.acquire(vault)
  const content = JSON.parse(fs.readFileSync(`${vault}.lock.json`, 'utf8'))
  expect(Object.keys(content)).toEqual(['pid', 'command', 'since'])
  lock.release()
  expect(fs.existsSync(`${vault}.lock.json`)).toBe(false)
})
