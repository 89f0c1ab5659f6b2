import path from 'node:path'
import { formatCount } from '../../../shared/format-count.ts'
import type { BackupInfo } from '../../../shared/schemas/backup.ts'
import { SEALS_DUE } from '../../../shared/seals.ts'
import { readBackupHead } from '../../host/backups/backup-file.ts'
import { verifyBackup } from '../../host/maintenance/verify-backup.ts'
import { findKey } from '../terminal/find-key.ts'
import { withProgress } from '../terminal/progress.ts'
import { printLine } from '../terminal/vault-options.ts'

const reasons: Record<BackupInfo['reason'], string> = {
  asked: 'backed up by hand',
  daily: 'a daily backup',
  'before migrating': 'backed up before its format was changed',
}

/** Prints what a backup is and whether it is intact. */
export async function verifyFile(fileArgument: string, options: { open?: true; json?: true }): Promise<void> {
  const file = path.resolve(fileArgument)
  using key = options.open ? await findKey(readBackupHead(file).header) : undefined
  const result = await withProgress('Checking', (watch) => verifyBackup({ file, with: key }, watch))
  if (options.json) return printLine(JSON.stringify(result))
  const how = result.checked === 'database' ? describeContents(result) : 'Its checksum is correct.'
  printLine(
    `${file}: the vault ${result.name} as it was at ${result.made_at} (${reasons[result.reason]}). ${how}`,
  )
}

function describeContents({ seals = 0, log_records }: { seals?: number; log_records?: number }): string {
  const log =
    log_records === undefined
      ? 'An older version of Coffer created it, so its log has no hash chain.'
      : log_records === 1
        ? '1 log record is unaltered.'
        : `${log_records} log records are unaltered.`
  const due =
    seals < SEALS_DUE ? '' : ' Its data key is due for rotation: run coffer rotate data after you restore it.'
  return `It opens, and every page is intact. ${log} Its data key has encrypted about ${formatCount(seals, 'value')}.${due}`
}
