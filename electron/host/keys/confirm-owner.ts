import { CofferError } from '../../../shared/errors.ts'
import { type Header, withNextMaster } from '../files/header.ts'
import { type Credential, unlockMaster } from './credential.ts'

/**
 * Confirms that the caller can open the vault now, even if it is open already. `isCurrentMaster` says whether a master
 * secret is that of the open vault. The keychain is always read again. Throws `forbidden` without a credential,
 * `conflict` if the header leads to another secret, and what `unlockMaster` throws. Wrong passphrases are
 * counted as when unlocking.
 */
export async function confirmOwner(
  header: Header,
  credential: Credential | undefined,
  isCurrentMaster: (master: Buffer) => boolean = () => true,
): Promise<void> {
  // SECURITY: an open window does not prove that the person using it is the owner.
  if (!credential)
    throw new CofferError(
      'forbidden',
      'Confirm this with the passphrase, recovery key or keychain of the vault. Nothing was changed.',
    )
  const master = await unlockMaster(header, credential)
  try {
    if (isCurrentMaster(master)) return
  } finally {
    master.fill(0)
  }
  // During a change of the master secret, the credential may also open the next secret, so the next secret is tried
  // too.
  if (header.next) return confirmOwner(withNextMaster(header, header.next), credential, isCurrentMaster)
  // SECURITY: an older copy of vault.json accepts the passphrase from when it was made, which opens only the old master
  // secret.
  throw new CofferError(
    'conflict',
    'The file vault.json does not belong to the open vault. Put the right one back. Nothing was changed.',
  )
}
