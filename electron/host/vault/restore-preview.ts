import type { RestoreCounts } from '../../../shared/restore-counts.ts'
import { readBackupHead } from '../backups/backup-file.ts'
import { type Header, readHeader } from '../files/header.ts'
import { getVaultFiles, listVaults, type VaultFiles } from '../files/vault-files.ts'
import { type JobWatch, runInBackground } from '../jobs/background.ts'
import { type CredentialOrMaster, unlockMaster } from '../keys/credential.ts'
import { isMaster } from '../keys/master.ts'
import type { OpenVault } from './vault.ts'

type RestorePreviewInput = {
  readonly dataDir: string
  readonly file: string
  /** The credential that opened the vault when the backup was created. */
  readonly with: CredentialOrMaster
  readonly open?: OpenVault | null
  readonly now: number
}

/**
 * The vault that a backup is from, and how many items restoring the backup would bring back because they were deleted
 * since.
 */
export type RestorePreview = RestoreCounts & { readonly vault: string }

/**
 * Compares a backup with the vault it was created from. That vault must be in this data folder, and it must be
 * possible to read it without asking the owner: its master secret is that of the backup, or it is open in this
 * process, or the keychain has its secret. Returns null otherwise. Throws what `readBackupHead` and `unlockMaster`
 * throw for the backup, `damaged` and `cancelled`.
 */
export async function previewRestore(
  input: RestorePreviewInput,
  watch: JobWatch = {},
): Promise<RestorePreview | null> {
  const { dataDir, file, now } = input
  const { header } = readBackupHead(file)
  const master = await unlockMaster(header, input.with)
  let present: Buffer | null = null
  try {
    const original = findOriginal(dataDir, header)
    if (!original) return null
    present = await readPresentMaster(original, master, input.open ?? null)
    if (!present) return null
    const { database } = original.files
    const job = { file, master, database, present, now }
    return { vault: original.name, ...(await runInBackground('compareBackup', job, watch)) }
  } finally {
    master.fill(0)
    present?.fill(0)
  }
}

type Original = { readonly name: string; readonly files: VaultFiles; readonly header: Header }

/** Finds the vault a backup was created from. If several vaults have its id, returns the one with its name. */
function findOriginal(dataDir: string, { vault_id, name: first }: Header): Original | undefined {
  const names = listVaults(dataDir)
  const ordered = [...names.filter((each) => each === first), ...names.filter((each) => each !== first)]
  for (const name of ordered) {
    const files = getVaultFiles(dataDir, name)
    try {
      const header = readHeader(files.header)
      if (header.vault_id === vault_id) return { name, files, header }
    } catch {
      // An unreadable vault cannot be compared. Opening it reports what is wrong.
    }
  }
  return undefined
}

async function readPresentMaster(
  { files, header }: Original,
  backupMaster: Buffer,
  open: OpenVault | null,
): Promise<Buffer | null> {
  if (open?.files.header === files.header) return open.withMaster((master) => Buffer.from(master))
  // During a change of the master secret, the valid secret is known only once the vault is opened.
  if (header.next) return null
  if (isMaster(backupMaster, header.vault_id, header.check)) return Buffer.from(backupMaster)
  if (header.protection !== 'keychain') return null
  try {
    return await unlockMaster(header, { keychain: true })
  } catch {
    // The keychain does not respond, so the caller shows only a general warning.
    return null
  }
}
