// `node tests/host/fault-calls.ts`: lets every system call on a vault's files fail once, by strace, and looks what is lost.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createVault } from '../../electron/host/create-vault.ts'
import { vaultFiles } from '../../electron/host/vault-files.ts'
import { table } from '../bench/table.ts'
import type { StorageOrder, StorageReport } from './fault-storage-child.ts'

const name = 'work'
const passphrase = 'correct horse'
const argon2id = { memory_kib: 64, iterations: 1, parallelism: 1 }
const faults: readonly [string, string][] = [
  ['pwrite64', 'ENOSPC'],
  ['pwrite64', 'EIO'],
  ['fdatasync,fsync', 'EIO'],
  ['fdatasync,fsync', 'ENOSPC'],
  ['ftruncate', 'EIO'],
  ['openat', 'EMFILE'],
  ['openat', 'EROFS'],
  ['pread64', 'EIO'],
  ['unlink', 'EIO'],
]

/** Plays the script on a copy of the vault with the n-th of these calls failing. */
function failing(
  folder: string,
  calls: string,
  error: string,
  at: number,
): { reached: boolean; refusals: number; problems: readonly string[] } {
  const dataDir = path.join(folder, 'play')
  const log = path.join(folder, 'strace.log')
  fs.cpSync(path.join(folder, 'data'), dataDir, { recursive: true })
  const { database } = vaultFiles(dataDir, name)
  const out = path.join(folder, 'out')
  const paths = [database, `${database}-wal`, `${database}-shm`, `${out}.copy`].flatMap((file) => [
    '-P',
    file,
  ])
  const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=${error}:when=${at}`]
  const child = path.join(import.meta.dirname, 'fault-storage-child.ts')
  const order: StorageOrder = { dataDir, name, passphrase, out }
  const { status, stdout, stderr } = spawnSync(
    'strace',
    [
      ...['-f', '-qq', '-o', log, ...paths, ...inject],
      ...[process.execPath, '--disable-warning=ExperimentalWarning', child, JSON.stringify(order)],
    ],
    { encoding: 'utf8', timeout: 60_000 },
  )
  const reached = fs.readFileSync(log, 'utf8').includes('(INJECTED)')
  fs.rmSync(dataDir, { recursive: true })
  fs.rmSync(out, { force: true })
  if (status !== 0) return { reached, refusals: 0, problems: [`ended with ${status}: ${stderr.slice(-600)}`] }
  const { refusals, problems } = JSON.parse(stdout) as StorageReport
  return { reached, refusals, problems }
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-faults-'))
const dataDir = path.join(folder, 'data')
const { vault } = await createVault({ dataDir, name, protection: { passphrase, argon2id } })
vault.lock()
const rows: string[][] = []
for (const [calls, error] of faults) {
  const sum = { reached: 0, refusals: 0, problems: 0 }
  for (let at = 1; ; at++) {
    const { reached, refusals, problems } = failing(folder, calls, error, at)
    for (const problem of problems) console.log(`PROBLEM ${calls} ${error} ${at}: ${problem}`)
    sum.refusals += refusals
    sum.problems += problems.length
    if (!reached) break
    sum.reached++
  }
  rows.push([calls, error, String(sum.reached), String(sum.refusals), String(sum.problems)])
  console.log(rows.at(-1)?.join('  '))
  if (sum.problems > 0) process.exitCode = 1
}
console.log(`\n${table(['calls', 'error', 'failed in turn', 'writes refused', 'problems'], rows)}`)
fs.rmSync(folder, { recursive: true })
