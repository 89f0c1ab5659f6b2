import type { BackupSummary } from '../../../shared/schemas/backup.ts'
import { host } from '../connection/vault.ts'

/** The backups of every vault, newest first. Throws the host's error. */
export async function readBackups(): Promise<readonly BackupSummary[]> {
  const { backups } = await host.listBackups({})
  return backups.toSorted((a, b) => (b.made_at ?? '').localeCompare(a.made_at ?? ''))
}
