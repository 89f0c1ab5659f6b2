import { CofferError } from '../../../shared/errors.ts'
import { type Header, withNextMaster } from '../files/header.ts'
import { type Credential, masterOf } from './credential.ts'

/**
 * Confirms that whoever asks can open the vault now, although it may be open already: `opens` says whether a master
 * secret is that of the open vault. A keychain is read again. Throws `forbidden` without a credential, `conflict` where
 * the header leads to another secret, and what `masterOf` throws: wrong passphrases are counted as when
 * unlocking.
 */
export async function confirmOwner(
  header: Header,
  given: Credential | undefined,
  opens: (master: Buffer) => boolean = () => true,
): Promise<void> {
  // SECURITY: an open window proves nothing about who sits at it.
  if (!given)
    throw new CofferError('forbidden', 'Enter what opens the vault to confirm this. Nothing was changed.')
  const master = await masterOf(header, given)
  try {
    if (opens(master)) return
  } finally {
    master.fill(0)
  }
  // During a change of the master secret, what was given may open both.
  if (header.next) return confirmOwner(withNextMaster(header, header.next), given, opens)
  // SECURITY: an older vault.json in its place leads to the secret of its time, by the passphrase of that time.
  throw new CofferError(
    'conflict',
    'The file vault.json is not the one of the open vault. Put that one back. Nothing was changed.',
  )
}
