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

/**
 * Changes what opens an open vault. The caller has confirmed the owner. Rejects as `rotateMaster`, `changeProtection`
 * and `renewRecoveryKey` do.
 */
export async function changeKeys(vault: OpenVault, change: KeyChange, watch: JobWatch): Promise<void> {
  switch (change.change) {
    case 'master':
      await rotateMaster(vault, change.protection, watch, change.recovery_key, change)
      return
    case 'protection':
      return changeProtection(vault, change, watch)
    case 'recovery key':
      return renewRecoveryKey(vault, change, watch)
  }
}
