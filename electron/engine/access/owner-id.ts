import { hash } from 'node:crypto'

/**
 * Derives the user id of the vault's owner (rule O-06) from the tenant's id. The id therefore never changes, is the
 * same in every backup, and exists in vaults that are older than this field.
 */
export function deriveOwnerId(tenant_id: string): string {
  return deriveId(`owner of tenant ${tenant_id}`)
}

/** Derives the id of the owner as a member of the tenant (rule M-01) from the tenant's id. */
export function deriveOwnerMemberId(tenant_id: string): string {
  return deriveId(`membership of the owner of tenant ${tenant_id}`)
}

function deriveId(from: string): string {
  const hex = hash('sha256', from).slice(0, 32)
  // Version 8, variant 10: a UUID with custom bits (RFC 9562).
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4]
  const text = `${hex.slice(0, 12)}8${hex.slice(13, 16)}${variant}${hex.slice(17)}`
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
