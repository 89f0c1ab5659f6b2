import fs from 'node:fs'
import path from 'node:path'
import { CofferError } from '../../../shared/errors.ts'
import { isoTime } from '../../../shared/time.ts'
import { databaseKey } from '../../engine/crypto/keyring.ts'
import { checkDatabase, snapshot } from '../../engine/db/snapshot.ts'
import { storageError } from '../../engine/db/storage-error.ts'
import { syncFolder } from '../files/atomic-write.ts'
import { readHeader } from '../files/header.ts'
import { isMaster } from '../keys/master.ts'
import { type BackupHead, readBackupFile, writeBackupFile } from './backup-file.ts'
import { asOneWriter } from './one-writer.ts'

export type BackupOrder = {
  readonly database: string
  readonly header: string
  readonly master: Buffer
  /** The backup file to write, in an existing folder. */
  readonly out: string
  readonly reason: BackupHead['reason']
  readonly now: number
}

type OnProgress = (done: number, total: number) => void

/** Copying, checking, writing and reading back each take about the same time. */
const STEPS = 4

/**
 * Makes a backup of a vault, which may be open in this or another process: reading does not disturb it. The copy is
 * opened and checked before it is packed, and the backup is read back before it takes its name. Throws `conflict`
 * (`out` exists or is being written, or the master secret does not match), `damaged`, `unavailable`, `storage_full`.
 */
export function makeVerifiedBackup(order: BackupOrder, onProgress: OnProgress = () => {}): BackupHead {
  return asOneWriter(order.out, () => make(order, onProgress))
}

function make(order: BackupOrder, onProgress: OnProgress): BackupHead {
  const { master, out } = order
  if (fs.existsSync(out)) throw new CofferError('conflict', `${out} already exists. It was left as it is.`)
  const header = readHeader(order.header)
  if (header.next || !isMaster(master, header.vault_id, header.check)) {
    throw new CofferError(
      'conflict',
      'The master secret of this vault is being changed. Back it up after that.',
    )
  }
  const { copy, part } = partsOf(out)
  const key = databaseKey(master)
  const step = (number: number) => (done: number, total: number) =>
    onProgress(number * total + done, STEPS * total)
  try {
    removeParts(out)
    snapshot(order.database, key, copy)
    step(1)(0, 1)
    const { format } = checkDatabase(copy, key)
    const database_bytes = fs.statSync(copy).size
    const { reason, now } = order
    const head: BackupHead = { made_at: isoTime(now), reason, format, database_bytes, header }
    writeBackupFile(part, head, copy, { master, onBytes: step(2) })
    readBackupFile(part, { master, onBytes: step(3) })
    fs.renameSync(part, out)
    syncFolder(path.dirname(out))
    return head
  } catch (error) {
    throw storageError(error, out)
  } finally {
    key.fill(0)
    removeParts(out)
  }
}

/** Removes what an interrupted backup left behind, unless another process is writing it. Never throws. */
export function removeLeftParts(out: string): void {
  try {
    asOneWriter(out, () => removeParts(out))
  } catch {
    // The daily backup removes it later.
  }
}

function removeParts(out: string): void {
  for (const file of Object.values(partsOf(out))) {
    try {
      fs.rmSync(file, { force: true })
    } catch {
      // A leftover does not make a finished backup a failure, nor hide the reason of a failed one.
    }
  }
}

/** Whether a file is a leftover of an interrupted backup. */
export function isPart(file: string): boolean {
  return /\.(copy|copy-journal|part|writing)$/.test(file)
}

function partsOf(out: string) {
  return { copy: `${out}.copy`, journal: `${out}.copy-journal`, part: `${out}.part` }
}
