import { CofferError } from '../../../shared/errors.ts'
import { type Header, withNextMaster } from '../files/header.ts'
import { type Credential, unlockMaster } from './credential.ts'

/**
 * Confirms that whoever asks can open the vault now, although it may be open already: `opens` says whether a master
 * secret is that of the open vault. A keychain is read again. Throws `forbidden` without a credential, `conflict` where
 * the header leads to another secret, and what `masterOf` throws: wrong passphrases are counted as when
 * unlocking.
 */
export async function confirmOwner(
  header: Header,
  credential: Credential | undefined,
  isCurrentMaster: (master: Buffer) => boolean = () => true,
): Promise<void> {
  // SECURITY: an open window proves nothing about who sits at it.
  if (!credential)
    throw new CofferError('forbidden', 'Enter what opens the vault to confirm this. Nothing was changed.')
  const master = await unlockMaster(header, credential)
  try {
    if (isCurrentMaster(master)) return
  } finally {
    master.fill(0)
  }
  // During a change of the master secret, what was given may open both.
  if (header.next) return confirmOwner(withNextMaster(header, header.next), credential, isCurrentMaster)
  // SECURITY: an older vault.json in its place leads to the secret of its time, by the passphrase of that time.
  throw new CofferError(
    'conflict',
    'The file vault.json is not the one of the open vault. Put that one back. Nothing was changed.',
  )
}
