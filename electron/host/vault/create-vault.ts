import { randomBytes, randomUUID } from 'node:crypto'
import { formatIsoTime } from '../../../shared/time.ts'
import { Engine } from '../../engine/index.ts'
import { HEADER_FORMAT, type Header, writeHeader } from '../files/header.ts'
import type { VaultFiles } from '../files/vault-files.ts'
import { storeInKeychain, toKeychainEntry } from '../keys/keychain.ts'
import { computeCheck } from '../keys/master.ts'
import { type Protection, withPassphrase } from '../keys/protection.ts'
import { newRecoveryKey } from '../keys/recovery-key.ts'
import { newRecoverySlot } from '../keys/recovery-slot.ts'
import { assertStrongPassphrase } from '../keys/weak-passphrase.ts'
import { buildVaultFiles, type VaultBuildInput } from './build-vault-files.ts'
import type { OpenVault } from './vault.ts'

export type CreateVaultInput = VaultBuildInput & { readonly protection: Protection }

/**
 * Creates a vault and opens it. `recovery_key` is shown only once. All or nothing, as `buildVaultFiles` describes.
 * Throws `conflict` (the name is taken), `invalid` (a passphrase that is easy to guess), `unavailable`, `storage_full`.
 */
export async function createVault(
  input: CreateVaultInput,
): Promise<{ vault: OpenVault; recovery_key: string }> {
  await assertStrongPassphrase(input.protection, input.name)
  let recovery_key = ''
  const vault = await buildVaultFiles(input, randomBytes(32), async (draft, master) => {
    recovery_key = await fillDraft(input, draft, master)
  })
  return { vault, recovery_key }
}

async function fillDraft(input: CreateVaultInput, draft: VaultFiles, master: Buffer): Promise<string> {
  const { name, protection } = input
  const vault_id = randomUUID()
  const recovery_key = newRecoveryKey()
  const base = {
    format: HEADER_FORMAT,
    vault_id,
    name,
    created_at: formatIsoTime((input.engine?.now ?? Date.now)()),
    check: computeCheck(master, vault_id),
    recovery: newRecoverySlot(master, vault_id, recovery_key),
  }
  const header: Header =
    'passphrase' in protection
      ? await withPassphrase(base, master, protection)
      : { ...base, protection: 'keychain', keychain: toKeychainEntry(vault_id) }
  // Header first, because it names the keychain entry that a crash would leave behind.
  writeHeader(draft.header, header)
  if (header.keychain) await storeInKeychain(header.keychain, master)
  Engine.create(draft.database, master, { tenant_id: vault_id, name }, input.engine).close()
  return recovery_key
}
