import { getVaultFiles } from '../files/vault-files.ts'
import { newBackupFile } from './backup-folder.ts'
import { makeVerifiedBackup } from './verified-backup.ts'

/**
 * Creates a verified backup of a vault before its database is migrated, and returns the file's path. Throws what
 * `makeVerifiedBackup` throws.
 */
export function backUpBeforeMigrating(dataDir: string, name: string, master: Buffer, now: number): string {
  const { database, header } = getVaultFiles(dataDir, name)
  const out = newBackupFile(dataDir, name, now)
  makeVerifiedBackup({ database, header, master, out, reason: 'before migrating', now })
  return out
}
