import { readHeader } from '../../host/files/header.ts'
import type { Credential } from '../../host/keys/credential.ts'
import { openVault } from '../../host/vault/open-vault.ts'
import type { OpenVault } from '../../host/vault/vault.ts'
import type { Place } from './common.ts'
import { existing } from './existing.ts'
import { withCredential } from './open-vault.ts'

/** Opens a vault that exists, lends it with what opened it, and locks it. */
export async function withVault<T>(
  place: Place,
  use: (vault: OpenVault, credential: Credential) => Promise<T>,
): Promise<T> {
  const { dataDir, vault: name } = place
  const { vault, credential } = await withCredential(readHeader(existing(place).header), async (given) => ({
    vault: await openVault({ dataDir, name, with: given }),
    credential: given,
  }))
  try {
    return await use(vault, credential)
  } finally {
    vault.lock()
  }
}

/** What commands that change keys say when the vault is open elsewhere. */
export const whileStopped =
  'The vault must not be open elsewhere. Stop coffer serve first, or do it in the window.'
