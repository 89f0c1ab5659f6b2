import type { BackupFacts } from '../../../shared/schemas/backup.ts'
import { damageOrDisk, toCofferError } from '../../engine/db/storage-error.ts'
import { factsOf, newBackupFile } from '../backups/backup-folder.ts'
import { type BackupOrder, removeLeftParts } from '../backups/verified-backup.ts'
import { readHeader } from '../files/header.ts'
import { existingVault, vaultFiles } from '../files/vault-files.ts'
import { masterOf, type Opener } from '../keys/credential.ts'
import type { OpenVault } from '../vault/vault.ts'
import { inBackground, type Watch } from '../work/background.ts'

export type BackUpInput = {
  readonly dataDir: string
  /** Where to write it; by default a new file in the vault's backup folder. */
  readonly file?: string | undefined
  readonly reason?: BackupOrder['reason']
  readonly now?: number
}

export type MadeBackup = BackupFacts & { readonly file: string }

/**
 * Backs up an open vault to one file, encrypted as the vault is, while requests are served. Rejects with `conflict`
 * (the file exists or is being written), `cancelled`, `damaged`, `unavailable`, `storage_full`; then no file remains.
 */
export function backUpOpenVault(
  vault: OpenVault,
  input: BackUpInput,
  watch: Watch = {},
): Promise<MadeBackup> {
  const act = () => {
    // So that the backup holds the records of everything answered before it.
    vault.engine.flushLog()
    return vault.withMaster((master) => write({ ...input, name: vault.name }, master, vault.watched(watch)))
  }
  const by = input.reason === 'daily' ? 'vault' : 'owner'
  return vault.inTurn(() => vault.recorded('vault.backup', act, by))
}

/**
 * The same from the files of a vault, which may be open in another process: reading does not disturb it. Also rejects
 * with what `masterOf` throws.
 */
export async function backUpVaultFiles(
  input: BackUpInput & { readonly name: string; readonly with: Opener },
  watch: Watch = {},
): Promise<MadeBackup> {
  const master = await masterOf(readHeader(existingVault(input.dataDir, input.name).header), input.with)
  try {
    return await write(input, master, watch)
  } finally {
    master.fill(0)
  }
}

async function write(
  { dataDir, name, reason = 'asked', now = Date.now(), file }: BackUpInput & { name: string },
  master: Buffer,
  watch: Watch,
): Promise<MadeBackup> {
  const { database, header } = vaultFiles(dataDir, name)
  const out = file ?? newBackupFile(dataDir, name, now)
  try {
    const head = await inBackground('backup', { database, header, master, out, reason, now }, watch)
    return { file: out, ...factsOf(out, head) }
  } catch (error) {
    removeLeftParts(out)
    throw await damageOrDisk(toCofferError(error), database)
  }
}
