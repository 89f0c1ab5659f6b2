import fs from 'node:fs'
import path from 'node:path'
import { CofferError } from '../../../shared/errors.ts'
import { formatIsoTime } from '../../../shared/time.ts'
import { checkDatabase, copyDatabaseFile, deriveDatabaseKey, toStorageError } from '../../engine/index.ts'
import { syncFolder } from '../files/atomic-write.ts'
import { readHeader } from '../files/header.ts'
import { isLockTaken, LockFile } from '../files/lock-file.ts'
import { isMaster } from '../keys/master.ts'
import { type BackupHead, readBackupFile, writeBackupFile } from './backup-file.ts'
import type { OnProgress } from './unpack-backup.ts'

export type BackupJob = {
  readonly database: string
  readonly header: string
  readonly master: Buffer
  readonly out: string
  readonly reason: BackupHead['reason']
  readonly now: number
}

/** Copying, checking, writing and reading back each take about the same time, so each is one step of the progress. */
const STEPS = 4

/**
 * Creates a backup of a vault, which may be open in this or another process: reading does not disturb it. The copy is
 * opened and checked before it is packed. The backup is read back before it gets its final name. Throws `conflict`
 * (`out` exists or is being written, or the master secret does not match), `damaged`, `unavailable`, `storage_full`.
 */
export function makeVerifiedBackup(job: BackupJob, onProgress: OnProgress = () => {}): BackupHead {
  return withWriteLock(job.out, () => writeVerifiedBackup(job, onProgress))
}

function writeVerifiedBackup(job: BackupJob, onProgress: OnProgress): BackupHead {
  const { master, out } = job
  if (fs.existsSync(out)) throw new CofferError('conflict', `${out} already exists. It was not changed.`)
  const header = readHeader(job.header)
  if (header.next || !isMaster(master, header.vault_id, header.check)) {
    throw new CofferError(
      'conflict',
      'The master secret of this vault is being changed. Try again when that is done.',
    )
  }
  const { copy, part } = getTemporaryFiles(out)
  const key = deriveDatabaseKey(master)
  const reportStep = (number: number) => (done: number, total: number) =>
    onProgress(number * total + done, STEPS * total)
  try {
    removeTemporaryFiles(out)
    copyDatabaseFile(job.database, key, copy)
    reportStep(1)(0, 1)
    const { format } = checkDatabase(copy, key)
    const database_bytes = fs.statSync(copy).size
    const { reason, now } = job
    const head: BackupHead = { made_at: formatIsoTime(now), reason, format, database_bytes, header }
    writeBackupFile(part, head, copy, { master, onBytes: reportStep(2) })
    readBackupFile(part, { master, onBytes: reportStep(3) })
    fs.renameSync(part, out)
    syncFolder(path.dirname(out))
    return head
  } catch (error) {
    throw toStorageError(error, out)
  } finally {
    key.fill(0)
    removeTemporaryFiles(out)
  }
}

/** Removes the leftovers of an interrupted backup, unless another process is writing it. Never throws. */
export function removeBackupLeftovers(out: string): void {
  try {
    withWriteLock(out, () => removeTemporaryFiles(out))
  } catch {
    // The daily backup removes it later.
  }
}

function removeTemporaryFiles(out: string): void {
  for (const file of Object.values(getTemporaryFiles(out))) {
    try {
      fs.rmSync(file, { force: true })
    } catch {
      // A leftover that cannot be removed is ignored: it must not fail a finished backup, or hide why one failed.
    }
  }
}

export function isBackupLeftover(file: string): boolean {
  return /\.(copy|copy-journal|part|writing)$/.test(file)
}

function getTemporaryFiles(out: string) {
  return { copy: `${out}.copy`, journal: `${out}.copy-journal`, part: `${out}.part` }
}

/**
 * Runs `write` under an exclusive lock on `<file>.writing`, which is removed afterwards. Throws `unavailable`, what
 * `write` throws, and `conflict` without waiting if another process or thread is writing.
 */
function withWriteLock<T>(file: string, write: () => T): T {
  const lock = acquireWriteLock(file)
  try {
    return write()
  } finally {
    lock.remove()
  }
}

function acquireWriteLock(file: string): LockFile {
  try {
    return LockFile.acquire(`${file}.writing`, 0)
  } catch (error) {
    if (!isLockTaken(error)) throw toStorageError(error, file)
    throw new CofferError('conflict', `${file} is being written by another process. It was not changed.`)
  }
}
