import { writeHeader } from '../files/header.ts'
import { newRecoverySlot } from '../keys/recovery-slot.ts'
import type { OpenVault } from '../vault/vault.ts'
import { settledHeader } from './settled-header.ts'

/**
 * Gives an open vault a new recovery key, to be shown once. The old one no longer opens the vault, only the backups
 * made before. After a crash, one of the two opens it. Rejects with `locked`, `unavailable`, `storage_full`.
 */
export function renewRecoveryKey(vault: OpenVault): Promise<{ recovery_key: string }> {
  return vault.inTurn(() => vault.recorded('vault.newRecoveryKey', () => renew(vault)))
}

async function renew(vault: OpenVault): Promise<{ recovery_key: string }> {
  const header = await settledHeader(vault)
  vault.assertOpen()
  const { recovery_key, recovery } = vault.withMaster((master) => newRecoverySlot(master, header.vault_id))
  writeHeader(vault.files.header, { ...header, recovery })
  return { recovery_key }
}
