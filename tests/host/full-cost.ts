import { argon2Sync } from 'node:crypto'
import { expect } from 'vitest'
import { readHeader } from '../../electron/host/files/header.ts'
import { vaultFiles } from '../../electron/host/files/vault-files.ts'
import { unwrapMaster } from '../../electron/host/keys/master.ts'
import { derivePassphraseKey } from '../../electron/host/keys/passphrase.ts'

type Kept = { dataDir: string; name: string; passphrase: string }

/** The cost that Coffer guarantees. */
const full = { memory_kib: 262_144, iterations: 3, parallelism: 4 }

function slotOf({ dataDir, name }: Kept) {
  const { passphrase: slot, vault_id } = readHeader(vaultFiles(dataDir, name).header)
  expect(slot?.argon2id).toEqual(full)
  return { salt: Buffer.from(slot?.salt ?? '', 'base64'), wrapped: slot?.wrapped ?? '', vault_id }
}

/**
 * Expects that a vault created without the preload uses Argon2id at full cost, checked with another implementation.
 */
export function expectFullCost(kept: Kept): void {
  const { salt, wrapped, vault_id } = slotOf(kept)
  const key = argon2Sync('argon2id', {
    message: kept.passphrase,
    nonce: salt,
    memory: full.memory_kib,
    passes: full.iterations,
    parallelism: full.parallelism,
    tagLength: 32,
  })
  expect(unwrapMaster(wrapped, key, vault_id, 'passphrase')).toHaveLength(32)
}

/**
 * Expects that a vault created under the preload records the full cost: under the preload, another cost gives another
 * key.
 */
export async function expectCostOf(kept: Kept): Promise<void> {
  const { salt, wrapped, vault_id } = slotOf(kept)
  const key = await derivePassphraseKey(kept.passphrase, salt, full)
  expect(unwrapMaster(wrapped, key, vault_id, 'passphrase')).toHaveLength(32)
}
