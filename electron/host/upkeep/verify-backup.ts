import type { BackupFacts } from '../../../shared/schemas/backup.ts'
import { readBackupHead } from '../backups/backup-file.ts'
import { factsOf } from '../backups/backup-folder.ts'
import { masterOf, type Opener } from '../keys/credential.ts'
import { inBackground, type Watch } from '../work/background.ts'

/**
 * Checks that a backup is intact: its checksum, and with a credential also its database, which is opened. Throws what
 * `restoreVault` would for the file and the credential.
 */
export async function verifyBackup(
  { file, with: opener }: { file: string; with?: Opener | undefined },
  watch: Watch = {},
): Promise<BackupFacts & { checked: 'checksum' | 'database' }> {
  const head = readBackupHead(file)
  if (!opener) {
    await inBackground('readBackup', { file }, watch)
    return { ...factsOf(file, head), checked: 'checksum' }
  }
  const master = await masterOf(head.header, opener)
  try {
    await inBackground('tryBackup', { file, master }, watch)
    return { ...factsOf(file, head), checked: 'database' }
  } finally {
    master.fill(0)
  }
}
