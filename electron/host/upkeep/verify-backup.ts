import type { BackupFacts } from '../../../shared/schemas/backup.ts'
import { readBackupHead } from '../backups/backup-file.ts'
import { factsOf } from '../backups/backup-folder.ts'
import { masterOf, type Opener } from '../keys/credential.ts'
import { inBackground, type Watch } from '../work/background.ts'

/**
 * Checks that a backup is intact: its checksum, and with a credential also its database, which is opened, and its log.
 * Throws what `restoreVault` would for the file and the credential, and `damaged` for the log.
 */
export async function verifyBackup(
  { file, with: opener }: { file: string; with?: Opener | undefined },
  watch: Watch = {},
): Promise<BackupFacts & { checked: 'checksum' | 'database'; seals?: number; log_records?: number }> {
  const head = readBackupHead(file)
  if (!opener) {
    await inBackground('readBackup', { file }, watch)
    return { ...factsOf(file, head), checked: 'checksum' }
  }
  const master = await masterOf(head.header, opener)
  try {
    const { seals, log } = await inBackground('tryBackup', { file, master }, watch)
    return { ...factsOf(file, head), checked: 'database', seals, ...(log && { log_records: log.records }) }
  } finally {
    master.fill(0)
  }
}
