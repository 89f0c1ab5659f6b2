import { readBackupHead } from '../backups/backup-file.ts'
import { writeHeader } from '../files/header.ts'
import { type JobWatch, runInBackground } from '../jobs/background.ts'
import { type CredentialOrMaster, unlockMaster } from '../keys/credential.ts'
import { newKeychainEntry, storeInKeychain } from '../keys/keychain.ts'
import { type Protection, withPassphrase } from '../keys/protection.ts'
import { buildVaultFiles, type VaultBuildInput } from './build-vault-files.ts'
import type { OpenVault } from './vault.ts'

export type RestoreInput = VaultBuildInput & {
  readonly file: string
  /** The credential that opened the vault when the backup was created. */
  readonly with: CredentialOrMaster
  readonly protection: Protection
}

/**
 * Creates a new vault from a backup and opens it. All or nothing, as `buildVaultFiles` describes. An existing vault
 * is never touched. Throws `conflict`, what `readBackupHead` and `unlockMaster` throw, `damaged`, `unprocessable`
 * (from a newer Coffer), `unavailable`, `storage_full`.
 */
export async function restoreVault(input: RestoreInput, watch: JobWatch = {}): Promise<OpenVault> {
  const { file, name, protection } = input
  const { header } = readBackupHead(file)
  const master = await unlockMaster(header, input.with)
  const restored = await buildVaultFiles(input, master, async (draft) => {
    const { passphrase: _, keychain: __, ...baseHeader } = header
    // A new entry: the original vault may still exist on this machine and use the old one.
    const keychain = newKeychainEntry()
    writeHeader(
      draft.header,
      'passphrase' in protection
        ? await withPassphrase({ ...baseHeader, name }, master, protection)
        : { ...baseHeader, name, protection: 'keychain', keychain },
    )
    if ('keychain' in protection) await storeInKeychain(keychain, master)
    await runInBackground('unpack', { file, master, target: draft.database }, watch)
  })
  restored.engine.outcomes.recordMaintenance('vault.restore', 'owner')
  return restored
}
