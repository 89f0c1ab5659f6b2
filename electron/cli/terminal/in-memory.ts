import type { VaultLocation } from './vault-options.ts'

/** Selects a running in-memory vault. */
export type InMemory = { readonly ephemeral?: true; readonly port?: number }

/** Returns the name of a vault for prompts and file names: `in-memory` for an in-memory vault, which has no name. */
export function getVaultName({ vault }: VaultLocation, { ephemeral }: InMemory): string {
  return ephemeral ? 'in-memory' : vault
}
