import { writeHeader } from '../files/header.ts'
import type { JobWatch } from '../jobs/background.ts'
import type { ProtectionOrKey } from '../keys/protection.ts'
import { type NewRecoveryKey, newRecoverySlot } from '../keys/recovery-slot.ts'
import type { OpenVault } from '../vault/vault.ts'
import { recoverHeader } from './recover-header.ts'
import { replaceMaster } from './rotate-master.ts'

export type RecoveryKeyChange = {
  readonly recovery_key: NewRecoveryKey
  /**
   * How the vault is protected. `keepMaster` changes only `vault.json`, so an older copy of `vault.json` and the old
   * recovery key still open the current database.
   */
  readonly protection: ProtectionOrKey | 'keepMaster'
}

/**
 * Gives an open vault another recovery key, under a new master secret. The old recovery key then opens only
 * earlier backups, no longer the vault. After a crash, the old key, the new key or both open the vault. Rejects as
 * `replaceMaster` does.
 */
export function renewRecoveryKey(
  vault: OpenVault,
  change: RecoveryKeyChange,
  watch: JobWatch = {},
): Promise<void> {
  return vault.runExclusive(() =>
    vault.runRecorded('vault.newRecoveryKey', () => applyRenewal(vault, change, watch)),
  )
}

async function applyRenewal(
  vault: OpenVault,
  { recovery_key, protection }: RecoveryKeyChange,
  watch: JobWatch,
): Promise<void> {
  vault.assertOpen()
  if (protection !== 'keepMaster') return replaceMaster(vault, { protection, recovery_key }, watch)
  const header = await recoverHeader(vault)
  vault.assertOpen()
  const recovery = vault.withMaster((master) => newRecoverySlot(master, header.vault_id, recovery_key))
  writeHeader(vault.files.header, { ...header, recovery })
}
