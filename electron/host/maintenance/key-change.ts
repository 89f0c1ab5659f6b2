import { CofferError } from '../../../shared/errors.ts'
import { computeCredentialDigest, readHeader } from '../files/header.ts'
import type { JobWatch } from '../jobs/background.ts'
import type { ProtectionOrKey } from '../keys/protection.ts'
import type { NewRecoveryKey } from '../keys/recovery-slot.ts'
import type { OpenVault } from '../vault/vault.ts'
import { changeProtection, type ProtectionChange } from './change-protection.ts'
import { type RecoveryKeyChange, renewRecoveryKey } from './renew-recovery-key.ts'
import { rotateMaster } from './rotate-master.ts'

/** A change of what opens a vault. */
export type KeyChange =
  | {
      readonly change: 'master'
      readonly protection: ProtectionOrKey
      readonly recovery_key: NewRecoveryKey
      readonly fingerprints?: boolean | undefined
    }
  | ({ readonly change: 'protection' } & ProtectionChange)
  | ({ readonly change: 'recovery key' } & RecoveryKeyChange)

/** A change, with the `computeCredentialDigest` of the header that its owner was confirmed against. */
export type PreparedKeyChange = { readonly from: string; readonly change: KeyChange }

/**
 * Changes what opens an open vault. The caller has confirmed the owner. Rejects as `rotateMaster`, `changeProtection`
 * and `renewRecoveryKey` do, and with `conflict` if the vault's credentials have changed since the confirmation.
 */
export async function changeKeys(
  vault: OpenVault,
  { from, change }: PreparedKeyChange,
  watch: JobWatch,
): Promise<void> {
  // SECURITY: a change that was prepared with the old passphrase would put it back.
  if (computeCredentialDigest(readHeader(vault.files.header)) !== from) {
    throw new CofferError(
      'conflict',
      'The credentials of the vault were changed after this command started, so it changed nothing. Run it again.',
    )
  }
  switch (change.change) {
    case 'master':
      return rotateMaster(vault, change.protection, watch, change.recovery_key, change)
    case 'protection':
      return changeProtection(vault, change, watch)
    case 'recovery key':
      return renewRecoveryKey(vault, change, watch)
  }
}
