import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import Driver from 'better-sqlite3'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createTempFolder, openVault } from '../vault.ts'
import { failEveryCall } from './fault-calls.ts'
import { FaultScript } from './fault-script.ts'
import type { StorageJob, StorageReport } from './fault-storage-child.ts'
import { createStoredVault, name, passphrase } from './stored-vault.ts'

/**
 * With `COFFER_FAULTS=every`, a write is cut at each quarter of a page, and every system call fails once under strace.
 * This takes almost an hour.
 */
const every = process.env.COFFER_FAULTS === 'every'
const program = path.join(import.meta.dirname, 'fault-storage-child.ts')
const flags = ['--disable-warning=ExperimentalWarning']

/** Returns the connection to the database that is opened while `act` runs. */
function withConnection<T>(act: () => T): { result: T; db: Driver.Database } {
  const spy = vi.spyOn(Driver.prototype, 'pragma')
  try {
    const result = act()
    const db = spy.mock.contexts.findLast((each) => (each as Driver.Database).open)
    return { result, db: db as Driver.Database }
  } finally {
    spy.mockRestore()
  }
}

test('X-25 a disk that fills up after any number of pages loses no acknowledged write', async () => {
  const { result: vault, db } = withConnection(openVault)
  const script = new FaultScript()
  const playScript = () => script.run(vault.engine, vault.master)
  expect(await playScript()).toBe(0)
  let rounds = 0
  for (let left = 0; ; left++) {
    // VACUUM removes free pages, which writes could otherwise use.
    db.exec('VACUUM')
    const pages = Number(db.pragma('page_count', { simple: true }))
    db.pragma(`max_page_count = ${pages + left}`)
    const rejectedCount = await playScript()
    db.pragma('max_page_count = 1000000')
    await script.check(vault.engine, vault.master, `${left} pages left`)
    if (rejectedCount === 0) break
    rounds++
  }
  expect(script.problems).toEqual([])
  expect(rounds).toBeGreaterThan(10)
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
  vault.reopen()
  await script.check(vault.engine, vault.master, 'opened again')
  expect(script.problems).toEqual([])
})

async function createJob(): Promise<StorageJob & { file: string }> {
  const { folder, dataDir, vault } = await createStoredVault()
  vault.lock()
  const out = path.join(folder, 'out')
  return { dataDir, name, passphrase, out, file: vault.files.database }
}

/** Starts the script in another process. Returns the functions that run its steps. */
async function startScript(order: StorageJob) {
  const child: ChildProcess = fork(program, [JSON.stringify(order)], { execArgv: flags })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit').then(() => {
    throw new Error('The script ended.')
  })
  ended.catch(() => {})
  const nextReport = async () => (await Promise.race([once(child, 'message'), ended]))[0] as StorageReport
  const first = await nextReport()
  const runStep = (what: string, about = '') => {
    child.send({ do: what, about })
    return nextReport()
  }
  /** Limits the size in bytes of files that the child writes from now on. A write beyond that is cut short. */
  const limitFileSize = (bytes: number | 'unlimited') =>
    execFileSync('prlimit', [`--pid=${child.pid}`, `--fsize=${bytes}:unlimited`])
  return { first, runStep, limitFileSize }
}

const linux = test.runIf(process.platform === 'linux')

linux(
  'X-25 a short write at any page of the log gives an error and loses nothing',
  { tags: 'thorough', timeout: every ? 600_000 : 60_000 },
  async () => {
    const job = await createJob()
    const { runStep, limitFileSize } = await startScript(job)
    let report = await runStep('play')
    expect(report.refusals).toBe(0)
    // A frame of the log is a page with a header. The stride is not a multiple of a frame's size, so that writes are
    // cut at every part of a frame.
    const stride = every ? 1030 : 4 * 4120 + 530
    let rounds = 0
    for (let freeBytes = 0; ; freeBytes += stride) {
      const { refusals, wal } = await runStep('check')
      limitFileSize(wal + freeBytes)
      report = await runStep('play')
      limitFileSize('unlimited')
      if (report.refusals === refusals) break
      rounds++
    }
    expect(rounds).toBeGreaterThan(5)
    // This limit makes the checkpoint at closing fail.
    limitFileSize(fs.statSync(job.file).size >> 1)
    await runStep('reopen').catch(() => {})
    limitFileSize('unlimited')
    await runStep('check', 'opened again')
    await runStep('reopen')
    const { problems } = await runStep('checkPages')
    expect(problems).toEqual([])
  },
)

if (every) {
  test("X-25 a failed system call on a vault's files gives an error and loses nothing", async () => {
    expect(await failEveryCall(createTempFolder(), console.log)).toEqual([])
  }, 7_200_000)
}
