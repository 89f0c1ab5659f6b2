import { argon2Sync } from 'node:crypto'
import { expect } from 'vitest'
import { readHeader } from '../../electron/host/files/header.ts'
import { vaultFiles } from '../../electron/host/files/vault-files.ts'
import { unwrapMaster } from '../../electron/host/keys/master.ts'

type Kept = { dataDir: string; name: string; passphrase: string }

/** That a vault is kept by Argon2id at the cost that Coffer promises, by the word of another implementation. */
export function expectFullCost({ dataDir, name, passphrase }: Kept): void {
  const header = readHeader(vaultFiles(dataDir, name).header)
  const slot = header.passphrase
  expect(slot?.argon2id).toEqual({ memory_kib: 262_144, iterations: 3, parallelism: 4 })
  const key = argon2Sync('argon2id', {
    message: passphrase,
    nonce: Buffer.from(slot?.salt ?? '', 'base64'),
    memory: 262_144,
    passes: 3,
    parallelism: 4,
    tagLength: 32,
  })
  expect(unwrapMaster(slot?.wrapped ?? '', key, header.vault_id, 'passphrase')).toHaveLength(32)
}
