import { argon2Sync } from 'node:crypto'
import { expect } from 'vitest'
import { readHeader } from '../../electron/host/files/header.ts'
import { getVaultFiles } from '../../electron/host/files/vault-files.ts'
import { unwrapMaster } from '../../electron/host/keys/master.ts'
import { derivePassphraseKey } from '../../electron/host/keys/passphrase.ts'

type VaultLocation = { dataDir: string; name: string; passphrase: string }

/** The cost that Coffer guarantees. */
const full = { memory_kib: 262_144, iterations: 3, parallelism: 4 }

function readSlot({ dataDir, name }: VaultLocation) {
  const { passphrase: slot, vault_id } = readHeader(getVaultFiles(dataDir, name).header)
  expect(slot?.argon2id).toEqual(full)
  return { salt: Buffer.from(slot?.salt ?? '', 'base64'), wrapped: slot?.wrapped ?? '', vault_id }
}

/**
 * Expects that a vault uses Argon2id at full cost, checked with another implementation. The vault must have been
 * created without the preload `tests/quick-argon2id.cjs`.
 */
export function expectFullCost(vault: VaultLocation): void {
  const { salt, wrapped, vault_id } = readSlot(vault)
  const key = argon2Sync('argon2id', {
    message: vault.passphrase,
    nonce: salt,
    memory: full.memory_kib,
    passes: full.iterations,
    parallelism: full.parallelism,
    tagLength: 32,
  })
  expect(unwrapMaster(wrapped, key, vault_id, 'passphrase')).toHaveLength(32)
}

/**
 * Expects that a vault created with the preload `tests/quick-argon2id.cjs` records the full cost. Even with the
 * preload, another cost would give another key.
 */
export async function expectRecordedCost(vault: VaultLocation): Promise<void> {
  const { salt, wrapped, vault_id } = readSlot(vault)
  const key = await derivePassphraseKey(vault.passphrase, salt, full)
  expect(unwrapMaster(wrapped, key, vault_id, 'passphrase')).toHaveLength(32)
}
