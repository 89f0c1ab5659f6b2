import type { Faults } from './faults.ts'

/** A year beyond which dates have no four digits. */
export const LAST_MS = Date.parse('9999-01-01T00:00:00Z')

export type SnapshotSummary = { readonly name: string; readonly created_at: string }

/** An in-memory vault as its tests see it: back to the start, to a snapshot, to another time. */
export type SandboxVault = {
  /** Everything as it was when the vault was ready, the clock too. */
  reset(): void
  /** Epoch ms on the vault's clock. */
  now(): number
  /** Puts the clock to a moment and removes at once what is past by then. */
  setNow(ms: number): Promise<void>
  /** Keeps the vault as it is under a name, in place of what had that name. Throws `invalid`. */
  saveSnapshot(name: string): void
  /** Puts the vault back to a snapshot. Throws `not_found`. */
  restoreSnapshot(name: string): void
  snapshots(): SnapshotSummary[]
}

/** What `/_coffer/` lets tests do with the open vault. */
export type Sandbox = {
  readonly faults: Faults
  /** SECURITY: null unless the open vault lives in memory; a kept vault is never reset over HTTP. */
  vault(): SandboxVault | null
  /** The owner lets management keys set faults though the vault is kept. */
  faultsAllowed(): boolean
}
