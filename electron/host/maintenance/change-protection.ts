import { readHeader } from '../files/header.ts'
import type { VaultFiles } from '../files/vault-files.ts'
import type { JobWatch } from '../jobs/background.ts'
import { type ProtectionOrKey, protectMaster } from '../keys/protection.ts'
import type { NewRecoveryKey } from '../keys/recovery-slot.ts'
import { assertStrongPassphrase } from '../keys/weak-passphrase.ts'
import type { OpenVault } from '../vault/vault.ts'
import { recoverHeader } from './recover-header.ts'
import { replaceMaster } from './rotate-master.ts'

export type ProtectionChange = {
  readonly protection: ProtectionOrKey
  /** A new recovery key, which the owner has seen. Required unless `keepsRecoveryKey` returns true. */
  readonly recovery_key?: NewRecoveryKey | undefined
  /**
   * Changes only `vault.json`, not the master secret, so an older copy of `vault.json` and its credentials still open
   * the current database.
   */
  readonly keepMaster?: boolean | undefined
}

/**
 * Protects an open vault in another way, or with another passphrase, under a new master secret. Rejects as
 * `replaceMaster` and `protectMaster` do, and with `invalid` for a passphrase that is easy to guess. If it rejects, the
 * old protection still applies.
 */
export function changeProtection(
  vault: OpenVault,
  change: ProtectionChange,
  watch: JobWatch = {},
): Promise<void> {
  return vault.runExclusive(() =>
    vault.runRecorded('vault.changeProtection', () => applyChange(vault, change, watch)),
  )
}

/** Returns whether a vault's current recovery key can stay valid under another master secret. */
export function keepsRecoveryKey(vault: { readonly files: VaultFiles }): boolean {
  return readHeader(vault.files.header).recovery.sealed_to !== undefined
}

async function applyChange(
  vault: OpenVault,
  { protection, recovery_key, keepMaster = false }: ProtectionChange,
  watch: JobWatch,
): Promise<void> {
  const assertOpen = () => vault.assertOpen()
  assertOpen()
  await assertStrongPassphrase(protection, vault.name)
  if (!keepMaster) return replaceMaster(vault, { protection, recovery_key }, watch)
  await recoverHeader(vault)
  await vault.withMaster((master) => protectMaster(vault.files.header, master, protection, assertOpen))
}
