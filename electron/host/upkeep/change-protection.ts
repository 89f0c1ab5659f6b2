import { type Protection, protectMaster } from '../keys/protection.ts'
import type { OpenVault } from '../vault/vault.ts'
import { settledHeader } from './settled-header.ts'

/**
 * Protects an open vault another way, or with another passphrase. Rejects as `protectMaster` throws, and with
 * `locked`; then the old protection still applies.
 */
export function changeProtection(vault: OpenVault, protection: Protection): Promise<void> {
  return vault.inTurn(() => vault.recorded('vault.changeProtection', () => change(vault, protection)))
}

async function change(vault: OpenVault, protection: Protection): Promise<void> {
  const assertOpen = () => vault.assertOpen()
  assertOpen()
  await settledHeader(vault)
  await vault.withMaster((master) => protectMaster(vault.files.header, master, protection, assertOpen))
}
