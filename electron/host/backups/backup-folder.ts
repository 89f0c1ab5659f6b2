import fs from 'node:fs'
import path from 'node:path'
import { CofferError } from '../../../shared/errors.ts'
import type { BackupFacts, BackupSummary } from '../../../shared/schemas/backup.ts'
import { storageError } from '../../engine/db/storage-error.ts'
import { makeFolder } from '../files/make-folder.ts'
import { backupFolder, backupsFolder, isVaultName } from '../files/vault-files.ts'
import { type BackupHead, readBackupHead } from './backup-file.ts'
import { isPart } from './verified-backup.ts'

const ENDING = '.coffer-backup'
const HOUR_MS = 60 * 60 * 1000

/** A new name for a backup in the folder where those of a vault are kept, which is made. Throws `unavailable`. */
export function newBackupFile(dataDir: string, name: string, now: number): string {
  const folder = backupFolder(dataDir, name)
  const [day, time = ''] = new Date(now).toISOString().split('T')
  const stem = path.join(folder, `${name}-${day}-${time.slice(0, 8).replaceAll(':', '')}`)
  makeFolder(folder)
  for (let count = 1; ; count++) {
    const file = `${stem}${count === 1 ? '' : `-${count}`}${ENDING}`
    if (!fs.existsSync(file)) return file
  }
}

/** The names of the vaults that backups are kept of, whether they still exist or not; sorted. Throws `unavailable`. */
export function backedUpVaults(dataDir: string): string[] {
  return namesIn(backupsFolder(dataDir)).filter(isVaultName).sort()
}

/** The backups kept for a vault's name, newest first; `problem` says of one what its head does not. Throws `unavailable`. */
export function listBackups(dataDir: string, name: string): BackupSummary[] {
  return namesIn(backupFolder(dataDir, name))
    .filter((each) => each.endsWith(ENDING))
    .map((each) => summaryOf(path.join(backupFolder(dataDir, name), each)))
    .sort((a, b) => (b.made_at ?? '').localeCompare(a.made_at ?? ''))
}

/**
 * Removes all but the `kept` newest daily backups of one vault, and what interrupted ones left. Those of another vault
 * that had the same name stay. What cannot be removed waits for the next time. Throws `unavailable`.
 */
export function pruneDailyBackups(
  dataDir: string,
  name: string,
  { vault_id, kept, now }: { vault_id: string; kept: number; now: number },
): void {
  const folder = backupFolder(dataDir, name)
  const mine = listBackups(dataDir, name).filter(
    (each) => each.vault_id === vault_id && each.reason === 'daily',
  )
  // Those of a clock that was set back since go first, lest they push out the one that was just made.
  const isToCome = ({ made_at = '' }: BackupSummary) => Date.parse(made_at) > now
  const old = [...mine.filter((each) => !isToCome(each)), ...mine.filter(isToCome)]
    .slice(kept)
    .map((each) => each.file)
  const parts = namesIn(folder)
    .filter(isPart)
    .map((each) => path.join(folder, each))
    .filter(isForgotten)
  for (const file of [...old, ...parts]) {
    try {
      fs.rmSync(file, { force: true })
    } catch {
      // The next daily backup tries again.
    }
  }
}

/** Nobody has written to it for an hour. */
function isForgotten(file: string): boolean {
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  return stat !== undefined && Date.now() - stat.mtimeMs > HOUR_MS
}

/** Whether a vault needs its daily backup: a day after the last one, whoever made it, or an hour after it was made. */
export function isBackupDue(
  backups: readonly BackupSummary[],
  vault: { readonly vault_id: string; readonly created_at: string },
  now: number,
): boolean {
  const times = backups
    .filter((each) => each.vault_id === vault.vault_id)
    .map((each) => Date.parse(each.made_at ?? ''))
    // A clock that was set back must not keep the next backup waiting.
    .filter((time) => time <= now)
  if (times.length === 0) return now - Date.parse(vault.created_at) >= HOUR_MS
  return now - Math.max(...times) >= 24 * HOUR_MS
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder)
  } catch (error) {
    // SECURITY: a folder that cannot be read is not one without backups.
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return []
    throw storageError(error, folder)
  }
}

function summaryOf(file: string): BackupSummary {
  try {
    return { file, ...factsOf(file, readBackupHead(file)) }
  } catch (error) {
    return { file, problem: error instanceof CofferError ? error.message : 'It cannot be read.' }
  }
}

/** What is shown of a backup with this head. */
export function factsOf(file: string, { made_at, reason, format, header }: BackupHead): BackupFacts {
  const { vault_id, name, protection } = header
  return { made_at, reason, format, vault_id, name, protection, bytes: fs.statSync(file).size }
}
