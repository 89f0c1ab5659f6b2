import type { BackupInfo } from '../../../shared/schemas/backup.ts'
import { readBackupHead } from '../backups/backup-file.ts'
import { toBackupInfo } from '../backups/backup-folder.ts'
import { type JobWatch, runInBackground } from '../jobs/background.ts'
import { type CredentialOrMaster, unlockMaster } from '../keys/credential.ts'

/**
 * Checks that a backup is intact: its checksum and, with a credential, also its database and its log. Throws what
 * `restoreVault` would throw for the file and the credential, and `damaged` if the log was altered.
 */
export async function verifyBackup(
  { file, with: credential }: { file: string; with?: CredentialOrMaster | undefined },
  watch: JobWatch = {},
): Promise<BackupInfo & { checked: 'checksum' | 'database'; seals?: number; log_records?: number }> {
  const head = readBackupHead(file)
  if (!credential) {
    await runInBackground('readBackup', { file }, watch)
    return { ...toBackupInfo(file, head), checked: 'checksum' }
  }
  const master = await unlockMaster(head.header, credential)
  try {
    const { seals, log } = await runInBackground('tryBackup', { file, master }, watch)
    return {
      ...toBackupInfo(file, head),
      checked: 'database',
      seals,
      ...(log && { log_records: log.records }),
    }
  } finally {
    master.fill(0)
  }
}
