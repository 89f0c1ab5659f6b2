import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { getVaultFiles } from '../../electron/host/files/vault-files.ts'
import { createVault } from '../../electron/host/vault/create-vault.ts'
import type { StorageJob, StorageReport } from './fault-storage-child.ts'

const name = 'work'
const passphrase = 'correct horse'
const argon2id = { memory_kib: 64, iterations: 1, parallelism: 1 }
const faults: readonly [string, string][] = [
  ['ftruncate', 'EIO'],
  ['unlink', 'EIO'],
  ['fdatasync,fsync', 'EIO'],
  ['fdatasync,fsync', 'ENOSPC'],
  ['openat', 'EMFILE'],
  ['openat', 'EROFS'],
  ['pwrite64', 'EIO'],
  ['pwrite64', 'ENOSPC'],
  ['pread64', 'EIO'],
]

/** Runs the script on a copy of the vault, with the n-th of these calls failing. */
function runWithFailure(
  folder: string,
  calls: string,
  error: string,
  at: number,
): { reached: boolean; refusals: number; problems: readonly string[] } {
  const dataDir = path.join(folder, 'play')
  const log = path.join(folder, 'strace.log')
  fs.cpSync(path.join(folder, 'data'), dataDir, { recursive: true })
  const { database } = getVaultFiles(dataDir, name)
  const out = path.join(folder, 'out')
  const paths = [database, `${database}-wal`, `${database}-shm`, `${out}.copy`].flatMap((file) => [
    '-P',
    file,
  ])
  const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=${error}:when=${at}`]
  const child = path.join(import.meta.dirname, 'fault-storage-child.ts')
  // SQLite reports an unreadable page as damage.
  const codes = ['storage_full', 'unavailable', ...(calls === 'pread64' ? ['damaged'] : [])]
  const job: StorageJob = { dataDir, name, passphrase, out, codes }
  const { status, stdout, stderr } = spawnSync(
    'strace',
    [
      ...['-f', '-qq', '-o', log, ...paths, ...inject],
      ...[process.execPath, '--disable-warning=ExperimentalWarning', child, JSON.stringify(job)],
    ],
    { encoding: 'utf8', timeout: 60_000 },
  )
  const reached = fs.readFileSync(log, 'utf8').includes('(INJECTED)')
  fs.rmSync(dataDir, { recursive: true })
  fs.rmSync(out, { force: true })
  if (status !== 0)
    return { reached, refusals: 0, problems: [`ended with ${status}: ${stderr.slice(0, 400)}`] }
  const { refusals, problems } = JSON.parse(stdout) as StorageReport
  return { reached, refusals, problems }
}

/**
 * Runs the script repeatedly under strace, each time with another system call on the vault's files failing. `log`
 * receives the outcome of each kind of call. Returns the problems.
 */
export async function failEveryCall(folder: string, log: (line: string) => void): Promise<string[]> {
  const { vault } = await createVault({
    dataDir: path.join(folder, 'data'),
    name,
    protection: { passphrase, argon2id },
  })
  vault.lock()
  const all: string[] = []
  for (const [calls, error] of faults) {
    let rejectedCount = 0
    for (let at = 1; ; at++) {
      const { reached, refusals, problems } = runWithFailure(folder, calls, error, at)
      for (const problem of problems) {
        all.push(`${calls} ${error} ${at}: ${problem}`)
        log(all.at(-1) ?? '')
      }
      rejectedCount += refusals
      if (reached) continue
      log(
        `${calls} ${error}: ${at - 1} failed in turn, ${rejectedCount} refused, ${all.length} problems so far`,
      )
      break
    }
  }
  return all
}
