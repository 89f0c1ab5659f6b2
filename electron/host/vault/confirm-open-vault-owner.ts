import { timingSafeEqual } from 'node:crypto'
import { readHeader } from '../files/header.ts'
import { confirmOwner } from '../keys/confirm-owner.ts'
import type { Credential } from '../keys/credential.ts'
import type { OpenVault } from './vault.ts'

/** Confirms that the caller can open this open vault now. Throws what `confirmOwner` throws, and `locked`. */
export function confirmOpenVaultOwner(vault: OpenVault, credential: Credential | undefined): Promise<void> {
  const isCurrentMaster = (master: Buffer) => {
    // The vault may have been locked in the meantime, which wipes its secret.
    vault.assertOpen()
    return vault.withMaster((own) => timingSafeEqual(own, master))
  }
  return confirmOwner(readHeader(vault.files.header), credential, isCurrentMaster)
}
