import type { Destinations } from '../../../shared/destinations.ts'
import { CofferError } from '../../../shared/errors.ts'
import { listAnswered, listHostNames } from '../../as-hosted/answered-names.ts'
import type { Issuer } from '../../as-hosted/authority.ts'
import { readAuthority } from '../../host/authority/authority-record.ts'
import { unlockAuthority } from '../../host/authority/lasting-authority.ts'
import { askSecret, hasTerminal } from './prompt.ts'
import { readPassphrase } from './secrets.ts'
import { printHint } from './vault-options.ts'

const WITH_OWN = 'This run has an authority of its own, which your browser does not trust.'

/**
 * Returns the lasting authority if there is one for every name that is answered, and says whether it is used. Throws
 * `forbidden` and `damaged` like `readAuthority`.
 */
export async function findLastingIssuer(
  dataDir: string,
  destinations: Destinations,
): Promise<Issuer | undefined> {
  const record = readAuthority(dataDir)
  if (!record) return undefined
  const missing = listHostNames(listAnswered(destinations)).filter((name) => !record.names.includes(name))
  if (missing.length > 0) {
    printHint(
      `The lasting authority is not for ${missing.join(', ')}. ${WITH_OWN} Create another one with: coffer trust --remove && coffer trust`,
    )
    return undefined
  }
  try {
    const issuer = await unlockAuthority(record, findPassphrase)
    printHint('The certificates are from the authority that coffer trust created.')
    return issuer
  } catch (error) {
    const isLocked =
      error instanceof CofferError && ['locked', 'unauthenticated', 'rate_limited'].includes(error.code)
    if (!isLocked) throw error
    printHint(`${error.message} ${WITH_OWN}`)
    return undefined
  }
}

async function findPassphrase(): Promise<string> {
  const passphrase = readPassphrase()
  if (passphrase !== undefined) return passphrase
  if (hasTerminal()) return askSecret('Passphrase of the lasting authority: ')
  throw new CofferError('locked', 'A passphrase protects the lasting authority. Set COFFER_PASSPHRASE.')
}
