import { createSecretKey, hkdfSync, timingSafeEqual } from 'node:crypto'
import { seal, unseal } from '../../engine/crypto/envelope.ts'

export type Slot = 'passphrase' | 'recovery' | 'next' | 'previous'

/** The master secret wrapped under a 32-byte key, bound to its vault and slot; base64. */
export function wrapMaster(master: Buffer, key: Buffer, vault_id: string, slot: Slot): string {
  return seal(createSecretKey(key), master, aad(vault_id, slot)).toString('base64')
}

/** The master secret, or undefined where the key is not the one it was wrapped under. */
export function unwrapMaster(wrapped: string, key: Buffer, vault_id: string, slot: Slot): Buffer | undefined {
  try {
    return unseal(createSecretKey(key), Buffer.from(wrapped, 'base64'), aad(vault_id, slot))
  } catch {
    return undefined
  }
}

/** What tells a vault's master secret from any other without saying anything about it. */
export function checkOf(master: Buffer, vault_id: string): string {
  return Buffer.from(hkdfSync('sha256', master, vault_id, 'coffer master check v1', 16)).toString('base64')
}

/** Whether `master` is the secret that `check` was made of. */
export function isMaster(master: Buffer, vault_id: string, check: string): boolean {
  const expected = Buffer.from(check, 'base64')
  const actual = Buffer.from(checkOf(master, vault_id), 'base64')
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

/** The key that one master secret of a vault is wrapped under by another while it is being changed. */
export function linkKey(master: Buffer, vault_id: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, vault_id, 'coffer master link v1', 32))
}

// SECURITY: a wrapped secret opens only in the vault and the slot it was made for.
function aad(vault_id: string, slot: Slot): string {
  return `${vault_id}|master|${slot}`
}
