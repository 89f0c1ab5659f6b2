import { readBackupHead } from '../backups/backup-file.ts'
import { writeHeader } from '../files/header.ts'
import { masterOf, type Opener } from '../keys/credential.ts'
import { newEntry, storeInKeychain } from '../keys/keychain.ts'
import { type Protection, withPassphrase } from '../keys/protection.ts'
import { inBackground, type Watch } from '../work/background.ts'
import { growVault, type NewVault } from './grow-vault.ts'
import type { OpenVault } from './vault.ts'

export type RestoreInput = NewVault & {
  readonly file: string
  /** What opened the vault when the backup was made. */
  readonly with: Opener
  /** How to protect the restored vault; its recovery key stays the same. */
  readonly protection: Protection
}

/**
 * Creates a new vault from a backup and opens it. All or nothing, as `growVault` describes; an existing vault is
 * never touched. Throws `conflict`, what `readBackupHead` and `masterOf` throw, `damaged`, `unprocessable` (from a
 * newer Coffer), `unavailable`, `storage_full`.
 */
export async function restoreVault(input: RestoreInput, watch: Watch = {}): Promise<OpenVault> {
  const { file, name, protection } = input
  const { header } = readBackupHead(file)
  const master = await masterOf(header, input.with)
  const restored = await growVault(input, master, async (draft) => {
    const { passphrase: _, keychain: __, ...kept } = header
    // A new entry: the original vault may still exist on this machine and use the old one.
    const keychain = newEntry()
    writeHeader(
      draft.header,
      'passphrase' in protection
        ? await withPassphrase({ ...kept, name }, master, protection)
        : { ...kept, name, protection: 'keychain', keychain },
    )
    if ('keychain' in protection) await storeInKeychain(keychain, master)
    await inBackground('unpack', { file, master, target: draft.database }, watch)
  })
  restored.engine.recordUpkeep('vault.restore', 'owner')
  return restored
}
