import { backupInfo, backupSummary } from '../../../shared/schemas/backup.ts'
import { firstSteps } from '../../../shared/schemas/first-steps.ts'
import { restoreCounts } from '../../../shared/schemas/restore-counts.ts'
import { z } from '../../../shared/zod.ts'
import { requireUnlocked } from '../../engine/index.ts'
import { readFirstSteps } from '../initial-data/first-steps.ts'
import type { Credential } from '../keys/credential.ts'
import type { Protection } from '../keys/protection.ts'
import { assertStrongPassphrase } from '../keys/weak-passphrase.ts'
import { verifyBackup } from '../maintenance/verify-backup.ts'
import { previewRestore } from '../vault/restore-preview.ts'
import { restoreVault } from '../vault/restore-vault.ts'
import { credential, defineAction, defineCommand, file, protection } from './command.ts'

export const backupCommands = {
  /** Backs up the open vault to `file`, or to a new file among its backups. Job `backup`. */
  backup: defineCommand({
    input: z.strictObject({ file: file.optional() }),
    output: z.object({ file: z.string(), ...backupInfo.shape }),
    handler: (host, input) => host.maintenance.backUp(input),
  }),
  listBackups: defineCommand({
    input: z.strictObject({ name: z.string().optional() }),
    output: z.object({ backups: z.array(backupSummary) }),
    handler: (host, input) => ({ backups: host.maintenance.listBackups(input) }),
  }),
  /**
   * Deletes a backup that `listBackups` returned. `with` is a credential for the backup's vault or, if that vault no
   * longer exists, for the backup. Throws `not_found` for any other file.
   */
  removeBackup: defineAction({
    input: z.strictObject({ file, with: credential }),
    handler: (host, input) => host.maintenance.removeBackup(input),
  }),
  /** Which first steps are done in the open vault, by anyone; `backup` is null for an in-memory vault. */
  firstSteps: defineCommand({
    output: firstSteps,
    handler: (host) => readFirstSteps(requireUnlocked(host.openVault), host.options.dataDir),
  }),
  /** Verifies that a backup is complete; with a credential, also opens and checks its database. Job `verify`. */
  verifyBackup: defineCommand({
    input: z.strictObject({ file, with: credential.optional() }),
    output: z.object({
      ...backupInfo.shape,
      checked: z.enum(['checksum', 'database']),
      /** With a credential: about how many values the data key has sealed. */
      seals: z.int().optional(),
      /** How many log records the check found unaltered; absent for a backup of an older format. */
      log_records: z.int().optional(),
    }),
    handler: (host, input) => host.jobs.runJob('verify', (watch) => verifyBackup(input, watch)),
  }),
  /**
   * Counts the items that were deleted after a backup was made and that restoring it would bring back. `brings_back` is
   * null if the backup's vault does not exist or cannot be opened without a prompt. Job `restore`.
   */
  previewRestore: defineCommand({
    input: z.strictObject({ file, with: credential }),
    output: z.object({ brings_back: z.object({ vault: z.string(), ...restoreCounts.shape }).nullable() }),
    async handler(host, input) {
      const { dataDir } = host.options
      const request = { ...input, dataDir, open: host.openVault, now: host.now() }
      return { brings_back: await host.jobs.runJob('restore', (watch) => previewRestore(request, watch)) }
    },
  }),
  /**
   * Creates a vault from a backup with this protection and opens it in place of the current one; the recovery key stays
   * the same. Throws what `restoreVault` throws, and `invalid` for a new passphrase that is easy to guess. If it
   * throws, the current vault stays open. Job `restore`.
   */
  restore: defineAction({
    input: z.strictObject({ file, name: z.string(), with: credential, protection }),
    async handler(host, input) {
      const { dataDir } = host.options
      await host.current.replaceVault(async (adopt) => {
        if (!isSamePassphrase(input.with, input.protection))
          await assertStrongPassphrase(input.protection, input.name)
        const restore = { ...input, dataDir, engine: host.engineOptions }
        adopt(await host.jobs.runJob('restore', (watch) => restoreVault(restore, watch)))
      })
    },
  }),
}

/**
 * Returns whether the passphrase that opens a backup also protects the restored vault. If so, it is not a new
 * passphrase, and its strength is not checked.
 */
function isSamePassphrase(entered: Credential, next: Protection): boolean {
  return 'passphrase' in entered && 'passphrase' in next && entered.passphrase === next.passphrase
}
