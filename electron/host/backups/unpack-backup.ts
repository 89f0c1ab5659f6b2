import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { CofferError } from '../../../shared/errors.ts'
import {
  checkDatabase,
  deleteCommitCount,
  deriveDatabaseKey,
  inspectContents,
  migrations,
  openDatabase,
  type VaultFileContents,
} from '../../engine/index.ts'
import { readBackupFile, readBackupHead } from './backup-file.ts'

export type OnProgress = (done: number, total: number) => void

/**
 * Writes the database of a backup to the new file `target` and checks every page. Throws `damaged`, `unprocessable`
 * (from a newer Coffer), `conflict`, `unavailable`, `storage_full`.
 */
export function unpackBackup(
  { file, master, target }: { file: string; master: Buffer; target: string },
  onProgress: OnProgress = () => {},
): void {
  if (readBackupHead(file).format > migrations.length) {
    throw new CofferError('unprocessable', `${file} was created by a newer Coffer. Install that version.`)
  }
  readBackupFile(file, { master, target, onBytes: (done, total) => onProgress(done, 2 * total) })
  const key = deriveDatabaseKey(master)
  try {
    checkDatabase(target, key)
    // From here on the restored vault is a separate vault: its commit count starts when it is first opened.
    const db = openDatabase(target, key, { create: false })
    try {
      deleteCommitCount(db)
    } finally {
      db.close()
    }
  } finally {
    key.fill(0)
  }
}

/**
 * Unpacks a backup into a temporary folder, checks the database and its log, and removes the folder. Throws what
 * `unpackBackup` throws, and `damaged` if the log was altered.
 */
export function checkBackup(
  { file, master }: { file: string; master: Buffer },
  onProgress?: OnProgress,
): VaultFileContents {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-verify-'))
  const database = path.join(folder, 'vault.db')
  const key = deriveDatabaseKey(master)
  try {
    unpackBackup({ file, master, target: database }, onProgress)
    const contents = inspectContents({ database, master }, key, onProgress)
    if (!contents.log?.broken) return contents
    const { first, last } = contents.log.broken
    throw new CofferError(
      'damaged',
      `The log in ${file} was altered, first at records ${first} to ${last}. The database pages are intact, so the backup can still be restored.`,
    )
  } finally {
    key.fill(0)
    fs.rmSync(folder, { recursive: true, force: true })
  }
}
