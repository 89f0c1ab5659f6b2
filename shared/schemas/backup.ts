import { z } from '../zod.ts'

/** The facts about a backup that are readable without a key. */
export const backupInfo = z.object({
  made_at: z.string(),
  reason: z.enum(['asked', 'daily', 'before migrating']),
  /** The format of the database inside. */
  format: z.int(),
  vault_id: z.string(),
  name: z.string(),
  /** How its vault was protected when the backup was made. The recovery key opens every backup as well. */
  protection: z.enum(['keychain', 'passphrase']),
  bytes: z.int(),
})
export type BackupInfo = z.output<typeof backupInfo>

/** One backup in a list; has a `problem` if it cannot be read. */
export const backupSummary = z.object({
  file: z.string(),
  ...backupInfo.partial().shape,
  problem: z.string().optional(),
})
export type BackupSummary = z.output<typeof backupSummary>
