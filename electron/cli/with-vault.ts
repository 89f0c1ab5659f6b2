import type { Credential } from '../host/credential.ts'
import { readHeader } from '../host/header.ts'
import { openVault } from '../host/open-vault.ts'
import type { OpenVault } from '../host/vault.ts'
import { existingVault } from '../host/vault-files.ts'
import type { Place } from './common.ts'
import { credentialOfHeader } from './unlock.ts'

/** Opens a vault that exists, lends it with what opened it, and locks it. */
export async function withVault<T>(
  { dataDir, vault: name }: Place,
  use: (vault: OpenVault, credential: Credential) => Promise<T>,
): Promise<T> {
  const credential = await credentialOfHeader(readHeader(existingVault(dataDir, name).header))
  const vault = await openVault({ dataDir, name, with: credential })
  try {
    return await use(vault, credential)
  } finally {
    vault.lock()
  }
}

/** What commands that change keys say when the vault is open elsewhere. */
export const whileStopped =
  'The vault must not be open elsewhere: stop coffer serve first, or do it in the window.'
