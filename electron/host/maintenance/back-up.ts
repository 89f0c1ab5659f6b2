import type { BackupInfo } from '../../../shared/schemas/backup.ts'
import { resolveDamageError, toCofferError } from '../../engine/index.ts'
import { newBackupFile, toBackupInfo } from '../backups/backup-folder.ts'
import { type BackupJob, removeBackupLeftovers } from '../backups/verified-backup.ts'
import { readHeader } from '../files/header.ts'
import { getVaultFiles, requireExistingVault } from '../files/vault-files.ts'
import { type JobWatch, runInBackground } from '../jobs/background.ts'
import { type CredentialOrMaster, unlockMaster } from '../keys/credential.ts'
import type { OpenVault } from '../vault/vault.ts'

export type BackUpInput = {
  readonly dataDir: string
  readonly file?: string | undefined
  readonly reason?: BackupJob['reason']
  readonly now?: number
}

export type CreatedBackup = BackupInfo & { readonly file: string }

/**
 * Backs up an open vault to one encrypted file, while requests are served. Rejects with `conflict` (the file exists or
 * is being written), `cancelled`, `damaged`, `unavailable`, `storage_full`. If it rejects, it leaves no file behind.
 */
export function backUpOpenVault(
  vault: OpenVault,
  input: BackUpInput,
  watch: JobWatch = {},
): Promise<CreatedBackup> {
  const run = () => {
    // The backup must contain the log records of every call that was answered before it started.
    vault.engine.outcomes.flushLog()
    return vault.withMaster((master) =>
      writeBackup({ ...input, name: vault.name }, master, vault.withLockAbort(watch)),
    )
  }
  const by = input.reason === 'daily' ? 'vault' : 'owner'
  return vault.runExclusive(() => vault.runRecorded('vault.backup', run, by))
}

/**
 * Backs up the files of a vault, which may be open in another process: reading does not disturb it. Rejects as
 * `backUpOpenVault` does, and with what `unlockMaster` throws.
 */
export async function backUpVaultFiles(
  input: BackUpInput & { readonly name: string; readonly with: CredentialOrMaster },
  watch: JobWatch = {},
): Promise<CreatedBackup> {
  const master = await unlockMaster(
    readHeader(requireExistingVault(input.dataDir, input.name).header),
    input.with,
  )
  try {
    return await writeBackup(input, master, watch)
  } finally {
    master.fill(0)
  }
}

async function writeBackup(
  { dataDir, name, reason = 'asked', now = Date.now(), file }: BackUpInput & { name: string },
  master: Buffer,
  watch: JobWatch,
): Promise<CreatedBackup> {
  const { database, header } = getVaultFiles(dataDir, name)
  const out = file ?? newBackupFile(dataDir, name, now)
  try {
    const head = await runInBackground('backup', { database, header, master, out, reason, now }, watch)
    return { file: out, ...toBackupInfo(out, head) }
  } catch (error) {
    removeBackupLeftovers(out)
    throw await resolveDamageError(toCofferError(error), database)
  }
}
