import { CofferError } from '../../../shared/errors.ts'
import type { Header } from '../files/header.ts'
import { type Credential, masterOf } from './credential.ts'

/**
 * Confirms that whoever asks can open the vault now, although it may be open already. A keychain is read again. Throws
 * `forbidden` without a credential, and what `masterOf` throws: wrong passphrases are counted as when unlocking.
 */
export async function confirmOwner(header: Header, given: Credential | undefined): Promise<void> {
  // SECURITY: an open window proves nothing about who sits at it.
  if (!given)
    throw new CofferError('forbidden', 'Enter what opens the vault to confirm this. Nothing was changed.')
  const master = await masterOf(header, given)
  master.fill(0)
}
