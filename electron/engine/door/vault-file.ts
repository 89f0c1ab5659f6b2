import { CofferError } from '../../../shared/errors.ts'
import type { Incident } from '../../../shared/schemas/incident.ts'
import type { Settings } from '../../../shared/settings.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import { Callers } from './callers.ts'
import { incidentOf } from './incident.ts'
import { locked } from './locked.ts'
import type { Resources } from './resources.ts'
import { SeenClock } from './seen-clock.ts'

type Parts = {
  readonly db: Database
  readonly keyring: Keyring
  readonly tenant_id: string
  /** The clock, in epoch ms. */
  readonly now: () => number
  /** The vault lives in memory. */
  readonly ephemeral: boolean
  readonly resources: Resources
  /** Receives each internal failure. Must not throw. */
  readonly onIncident: (incident: Incident) => void
}

/** An open vault file: its connection, its keys, its caches, and whether it can be written now. */
export class VaultFile {
  readonly db: Database
  readonly keyring: Keyring
  readonly tenant_id: string
  readonly now: () => number
  readonly ephemeral: boolean
  readonly callers: Callers
  readonly clock: SeenClock
  readonly #onIncident: Parts['onIncident']
  readonly #resources: Resources
  #settings: Settings | null = null
  #closed = false
  #held = false

  constructor(parts: Parts) {
    this.db = parts.db
    this.keyring = parts.keyring
    this.tenant_id = parts.tenant_id
    this.now = parts.now
    this.ephemeral = parts.ephemeral
    this.callers = new Callers(parts.db, parts.resources)
    this.clock = new SeenClock(parts)
    this.#resources = parts.resources
    this.#onIncident = parts.onIncident
  }

  /** The tenant's current settings (rule R-02). */
  get settings(): Settings {
    this.#settings ??= this.#resources.readSettings(this.db)
    return this.#settings
  }

  /** Drops the caches, because something changed or was rolled back. */
  forget(): void {
    this.callers.forget()
    this.#resources.forget(this.db)
    this.#settings = null
  }

  /** Whether the file has been closed. */
  get isClosed(): boolean {
    return this.#closed
  }

  /** Whether writes are held back. */
  get isHeld(): boolean {
    return this.#held
  }

  /** Whether a transaction may begin now. */
  get isFree(): boolean {
    return !this.#closed && !this.#held && !this.db.inTransaction
  }

  /** Reports an internal failure. Refusals are ignored. */
  report(error: unknown, where: string, trace_id?: string): void {
    if (error instanceof CofferError && error.status < 500) return
    this.#onIncident(incidentOf(error, where, trace_id ?? null, Date.now()))
  }

  /** Throws `locked` once the file is closed. */
  assertOpen(): void {
    if (this.#closed) throw locked()
  }

  /** Holds writes back until `release`. */
  hold(): void {
    this.#held = true
  }

  /** Lets writes through again. */
  release(): void {
    this.#held = false
  }

  /** Closes the file and drops the cached callers. */
  close(): void {
    this.#closed = true
    this.db.close()
    // SECURITY: no map keeps callers' keys, even while something still holds the engine.
    this.callers.forget()
  }
}
