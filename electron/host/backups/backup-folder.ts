import fs from 'node:fs'
import path from 'node:path'
import { CofferError } from '../../../shared/errors.ts'
import type { BackupInfo, BackupSummary } from '../../../shared/schemas/backup.ts'
import { toStorageError } from '../../engine/index.ts'
import { makeFolder } from '../files/make-folder.ts'
import { getBackupFolder, getBackupsFolder, isVaultName } from '../files/vault-files.ts'
import { type BackupHead, readBackupHead } from './backup-file.ts'
import { isBackupLeftover } from './verified-backup.ts'

const ENDING = '.coffer-backup'
const HOUR_MS = 60 * 60 * 1000

/** Returns a free file name in the backup folder of a vault, and creates the folder. Throws `unavailable`. */
export function newBackupFile(dataDir: string, name: string, now: number): string {
  const folder = getBackupFolder(dataDir, name)
  const [day, time = ''] = new Date(now).toISOString().split('T')
  const stem = path.join(folder, `${name}-${day}-${time.slice(0, 8).replaceAll(':', '')}`)
  makeFolder(folder)
  for (let count = 1; ; count++) {
    const file = `${stem}${count === 1 ? '' : `-${count}`}${ENDING}`
    if (!fs.existsSync(file)) return file
  }
}

/** Lists the names of all vaults with a backup folder, sorted, deleted vaults included. Throws `unavailable`. */
export function listBackedUpVaults(dataDir: string): string[] {
  return listNames(getBackupsFolder(dataDir)).filter(isVaultName).sort()
}

/** Lists the backups under a vault's name, newest first. An unreadable one has a `problem`. Throws `unavailable`. */
export function listBackups(dataDir: string, name: string): BackupSummary[] {
  return listNames(getBackupFolder(dataDir, name))
    .filter((each) => each.endsWith(ENDING))
    .map((each) => readBackupSummary(path.join(getBackupFolder(dataDir, name), each)))
    .sort((a, b) => (b.made_at ?? '').localeCompare(a.made_at ?? ''))
}

/**
 * Removes all but the `keepCount` newest daily backups of one vault, and leftovers of interrupted backups. Backups of
 * an earlier vault with the same name stay. Files that cannot be removed are left for the next run. Throws
 * `unavailable`.
 */
export function pruneDailyBackups(
  dataDir: string,
  name: string,
  { vault_id, keepCount, now }: { vault_id: string; keepCount: number; now: number },
): void {
  const folder = getBackupFolder(dataDir, name)
  const dailyBackups = listBackups(dataDir, name).filter(
    (each) => each.vault_id === vault_id && each.reason === 'daily',
  )
  // Backups dated in the future are from before the clock was set back. They are removed first, so that they do not
  // displace the newest one.
  const isInFuture = ({ made_at = '' }: BackupSummary) => Date.parse(made_at) > now
  const old = [...dailyBackups.filter((each) => !isInFuture(each)), ...dailyBackups.filter(isInFuture)]
    .slice(keepCount)
    .map((each) => each.file)
  const parts = listNames(folder)
    .filter(isBackupLeftover)
    .map((each) => path.join(folder, each))
    .filter(isAbandoned)
  for (const file of [...old, ...parts]) {
    try {
      fs.rmSync(file, { force: true })
    } catch {
      // The next daily backup retries.
    }
  }
}

/** Whether a file has not been written to for an hour. */
function isAbandoned(file: string): boolean {
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  return stat !== undefined && Date.now() - stat.mtimeMs > HOUR_MS
}

/** Whether a daily backup is due: a day after the last backup of any kind, or an hour after the vault was created. */
export function isBackupDue(
  backups: readonly BackupSummary[],
  vault: { readonly vault_id: string; readonly created_at: string },
  now: number,
): boolean {
  const times = backups
    .filter((each) => each.vault_id === vault.vault_id)
    .map((each) => Date.parse(each.made_at ?? ''))
    // After the clock was set back, backups dated in the future must not delay the next one.
    .filter((time) => time <= now)
  if (times.length === 0) return now - Date.parse(vault.created_at) >= HOUR_MS
  return now - Math.max(...times) >= 24 * HOUR_MS
}

function listNames(folder: string): string[] {
  try {
    return fs.readdirSync(folder)
  } catch (error) {
    // SECURITY: an unreadable folder must not be taken for one without backups.
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return []
    throw toStorageError(error, folder)
  }
}

function readBackupSummary(file: string): BackupSummary {
  try {
    return { file, ...toBackupInfo(file, readBackupHead(file)) }
  } catch (error) {
    return { file, problem: error instanceof CofferError ? error.message : 'This file cannot be read.' }
  }
}

/** Returns the parts of a backup's header that the owner may see, and the file's size in bytes. */
export function toBackupInfo(file: string, { made_at, reason, format, header }: BackupHead): BackupInfo {
  const { vault_id, name, protection } = header
  return { made_at, reason, format, vault_id, name, protection, bytes: fs.statSync(file).size }
}
