import type { BackupSummary } from '../../../shared/schemas/backup.ts'
import { host } from '../connection/vault.ts'

/** The backups of every vault, newest first. Throws the host's error. */
export async function readBackups(): Promise<readonly BackupSummary[]> {
  const { backups } = await host.host.listBackups({})
  return backups.toSorted((a, b) => (b.made_at ?? '').localeCompare(a.made_at ?? ''))
}

/** The file's own name, on any system. */
export function fileNameOf(file: string): string {
  return file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1)
}

/** The name of the folder a file is in, which is that of its vault. */
export function folderNameOf(file: string): string {
  return fileNameOf(file.slice(0, -fileNameOf(file).length - 1))
}
