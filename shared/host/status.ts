import { mapExpiring } from '../clock-ahead.ts'
import { z } from '../zod.ts'
import { asHostedState } from './as-hosted.ts'
import { hostSettings } from './settings.ts'

/** The schema of `ClockAhead`. */
const clockAhead = z.object({ days: z.int(), overdue: z.object(mapExpiring(() => z.int())) })

/** The facts about a vault in the data folder that are known without opening it. */
const vaultSummary = z.object({
  name: z.string(),
  /** Absent if the header cannot be read; `problem` says why. */
  protection: z.enum(['keychain', 'passphrase']).optional(),
  created_at: z.string().optional(),
  bytes: z.int().optional(),
  problem: z.string().optional(),
})
export type VaultSummary = z.output<typeof vaultSummary>

export const listenerState = z.discriminatedUnion('state', [
  z.object({ state: z.literal('off') }),
  z.object({ state: z.literal('on'), url: z.string(), port: z.int() }),
  /** The listener could not be opened as requested; `next_port` is free. */
  z.object({ state: z.literal('refused'), reason: z.string(), next_port: z.int().optional() }),
])
export type ListenerState = z.output<typeof listenerState>

/** The overall state: the open vault, the listener, and what this machine supports. */
export const hostStatus = z.object({
  version: z.string(),
  /** `desktop`: Electron's window; `console`: a browser. */
  shell: z.enum(['desktop', 'console']),
  data_dir: z.string(),
  vaults: z.array(vaultSummary),
  /** The open vault, or null while none is. */
  vault: z
    .object({
      name: z.string(),
      tenant_id: z.string(),
      protection: z.enum(['keychain', 'passphrase', 'memory']),
      /** The time of the vault's clock, which test controls may have moved. */
      now: z.string(),
      /** How far the clock of an in-memory vault was moved from this computer's clock, in ms, if by a second or more. */
      clock_moved_ms: z.int().optional(),
      /** Set while no expired data is deleted, until the owner confirms that the clock is right (case X-45). */
      clock_ahead: clockAhead.optional(),
    })
    .nullable(),
  /** The vault to offer for unlocking: the one that was last open or, if it no longer exists, the first one. */
  last_vault: z.string().nullable(),
  listener: listenerState,
  as_hosted: asHostedState,
  /** Names of the faults that affect callers of the listener now. */
  faults: z.array(z.string()),
  /** True if the keychain can protect a new vault; otherwise a sentence that says why not. */
  keychain: z.union([z.literal(true), z.string()]),
  settings: hostSettings,
  /** Messages for the owner, such as one about a damaged settings file. */
  notices: z.array(z.string()),
})
export type HostStatus = z.output<typeof hostStatus>
