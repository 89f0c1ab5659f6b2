import type { Json } from '../../shared/json.ts'
import type { Faults } from './faults.ts'

/** The latest time that a clock can be set to, in epoch ms: later dates may need five-digit years. */
export const LAST_MS = Date.parse('9999-01-01T00:00:00Z')

export type SnapshotSummary = { readonly name: string; readonly created_at: string }

/** The test controls of an in-memory vault: reset it, restore a snapshot, move its clock. */
export type VaultControls = {
  reset(): void
  now(): number
  /** Sets the clock and immediately removes what has expired by then. */
  setNow(ms: number): Promise<void>
  /**
   * Lists the events since the first call or the last reset, at most the newest 5,000. The first call starts recording
   * events.
   */
  listEvents(): Json[]
  /** Saves a snapshot under a name, and replaces any snapshot with that name. Throws `invalid`. */
  saveSnapshot(name: string): void
  restoreSnapshot(name: string): void
  listSnapshots(): SnapshotSummary[]
}

/** The test controls of the open vault, served below `/_coffer/`. */
export type TestControls = {
  readonly faults: Faults
  /** SECURITY: null unless the open vault is in memory. A vault on disk is never reset over HTTP. */
  vault(): VaultControls | null
  /** Whether the owner lets management keys set faults on a vault on disk. */
  faultsAllowed(): boolean
}
