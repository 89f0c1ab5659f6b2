import { createInvalidError } from '../../../shared/errors.ts'
import { estimateStrength } from '../../../shared/passphrase.ts'
import { assertNewPassphrase } from './passphrase.ts'
import type { ProtectionOrKey } from './protection.ts'

/**
 * Throws `invalid` for a new passphrase that is too short or easy to guess. Not used for the passphrase that a vault
 * already has, because a weak passphrase must still open the vault, and can stay in use when the keys change.
 */
export async function assertStrongPassphrase(protection: ProtectionOrKey, vault: string): Promise<void> {
  if (!('passphrase' in protection)) return
  assertNewPassphrase(protection.passphrase)
  const { problem } = await estimateStrength(protection.passphrase, [vault])
  if (problem !== undefined)
    throw createInvalidError(
      'passphrase',
      `is too easy to guess: it ${problem}. Use four or five random words`,
    )
}
