import { readBackupHead } from '../backups/backup-file.ts'
import { type Header, readHeader } from '../files/header.ts'
import { listVaults, type VaultFiles, vaultFiles } from '../files/vault-files.ts'
import { type JobWatch, runInBackground } from '../jobs/background.ts'
import { type CredentialOrMaster, unlockMaster } from '../keys/credential.ts'
import { isMaster } from '../keys/master.ts'
import type { OpenVault } from './vault.ts'

type RestorePreviewInput = {
  readonly dataDir: string
  readonly file: string
  /** What opened the vault when the backup was made. */
  readonly with: CredentialOrMaster
  /** The vault that is open here, if one is. */
  readonly open?: OpenVault | null
  readonly now: number
}

/** What restoring a backup brings back although it was deleted since, and from which vault. */
export type RestorePreview = {
  readonly vault: string
  readonly applications: number
  readonly keys: number
  readonly tokens: number
  readonly proxies: number
  readonly reactors: number
  readonly webhooks: number
  readonly documents: number
  readonly client_keys: number
}

/**
 * Compares a backup with the vault it was made of, if that vault is in this data folder and can be opened without
 * asking: its master secret is the backup's, or it is open here, or the keychain has it. Null where it is not, or
 * cannot. Throws what `readBackupHead` and `masterOf` throw for the backup, `damaged` and `cancelled`.
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

/** The vault a backup was made of: the one of its name, if several have its id. */
function findOriginal(dataDir: string, { vault_id, name: first }: Header): Original | undefined {
  const names = listVaults(dataDir)
  const ordered = [...names.filter((each) => each === first), ...names.filter((each) => each !== first)]
  for (const name of ordered) {
    const files = vaultFiles(dataDir, name)
    try {
      const header = readHeader(files.header)
      if (header.vault_id === vault_id) return { name, files, header }
    } catch {
      // A vault that cannot be read is none to compare with; what is wrong with it is said where it is opened.
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
  // During a change of the master secret, which of the two applies is only known once the vault is opened.
  if (header.next) return null
  if (isMaster(backupMaster, header.vault_id, header.check)) return Buffer.from(backupMaster)
  if (header.protection !== 'keychain') return null
  try {
    return await unlockMaster(header, { keychain: true })
  } catch {
    // The keychain does not answer: what comes back is said in general.
    return null
  }
}
