import { invalid } from '../../../shared/errors.ts'
import { passphraseStrength } from '../../../shared/passphrase.ts'
import { checkNewPassphrase } from './passphrase.ts'
import type { Protection } from './protection.ts'

/**
 * Throws `invalid` for a new passphrase that is too short or easy to guess. Never asked of a passphrase that a vault
 * already has: a weak one still opens it, and still protects it under other keys.
 */
export async function refuseWeak(protection: Protection, vault: string): Promise<void> {
  if (!('passphrase' in protection)) return
  checkNewPassphrase(protection.passphrase)
  const { problem } = await passphraseStrength(protection.passphrase, [vault])
  if (problem !== undefined)
    throw invalid('passphrase', `is too easy to guess: it ${problem}. Use four or five random words`)
}
