import type { Keyring } from '../../crypto/keyring.ts'
import type { ClientKeyRow } from './store.ts'

const LABEL = 'private'

/** Seals the private half `d` of a key, in base64url (rule C-01). */
export function sealPrivateKey({ keyring }: { keyring: Keyring }, id: string, d: string): Buffer {
  return keyring.sealValue(d, id, LABEL)
}

/** Returns the private half of a key, in base64url. */
export function openPrivateKey({ keyring }: { keyring: Keyring }, row: ClientKeyRow): string {
  return keyring.openValue(row.private, row.id, LABEL)
}
