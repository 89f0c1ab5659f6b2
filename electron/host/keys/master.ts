import { createSecretKey, hkdfSync, timingSafeEqual } from 'node:crypto'
import { seal, unseal } from '../../engine/index.ts'

export type Slot = 'passphrase' | 'recovery' | 'recovery half' | 'next' | 'previous'

/** Wraps the master secret, or a related key, under a 32-byte key, bound to its vault and slot. Returns base64. */
export function wrapMaster(master: Buffer, key: Buffer, vault_id: string, slot: Slot): string {
  return seal(createSecretKey(key), master, createAad(vault_id, slot)).toString('base64')
}

/** Unwraps the master secret. Undefined if another key wrapped it. */
export function unwrapMaster(wrapped: string, key: Buffer, vault_id: string, slot: Slot): Buffer | undefined {
  try {
    return unseal(createSecretKey(key), Buffer.from(wrapped, 'base64'), createAad(vault_id, slot))
  } catch {
    return undefined
  }
}

/** Computes a check value that identifies a vault's master secret and reveals nothing about it. */
export function computeCheck(master: Buffer, vault_id: string): string {
  return Buffer.from(hkdfSync('sha256', master, vault_id, 'coffer master check v1', 16)).toString('base64')
}

/** Whether `check` was computed from `master`. */
export function isMaster(master: Buffer, vault_id: string, check: string): boolean {
  const expected = Buffer.from(check, 'base64')
  const actual = Buffer.from(computeCheck(master, vault_id), 'base64')
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

/** Derives the key that wraps another master secret of the vault while the secret is being changed. */
export function deriveLinkKey(master: Buffer, vault_id: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, vault_id, 'coffer master link v1', 32))
}

// SECURITY: a wrapped secret opens only in the vault and slot it was wrapped for.
function createAad(vault_id: string, slot: Slot): string {
  return `${vault_id}|master|${slot}`
}
