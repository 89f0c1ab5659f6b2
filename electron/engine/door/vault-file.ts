import { CofferError } from '../../../shared/errors.ts'
import type { Incident } from '../../../shared/schemas/incident.ts'
import type { Settings } from '../../../shared/settings.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import { Callers } from './callers.ts'
import { incidentOf } from './incident.ts'
import { locked } from './locked.ts'
import type { Resources } from './resources.ts'

type Parts = {
  readonly db: Database
  readonly keyring: Keyring
  readonly tenant_id: string
  /** The clock, in epoch ms. */
  readonly now: () => number
  /** The vault lives in memory. */
  readonly ephemeral: boolean
  readonly resources: Resources
  /** Told of what failed inside. Must not throw. */
  readonly onIncident: (incident: Incident) => void
}

/** An open vault file: its connection, its keys, whether it may be written, and what is kept of it in memory. */
export class VaultFile {
  readonly db: Database
  readonly keyring: Keyring
  readonly tenant_id: string
  readonly now: () => number
  readonly ephemeral: boolean
  readonly callers: Callers
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
    this.#resources = parts.resources
    this.#onIncident = parts.onIncident
  }

  /** The tenant's settings as they are at this moment (rule R-02). */
  get settings(): Settings {
    this.#settings ??= this.#resources.readSettings(this.db)
    return this.#settings
  }

  /** Drops what is kept in memory, because it changed or may have been undone. */
  forget(): void {
    this.callers.forget()
    this.#resources.forget(this.db)
    this.#settings = null
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /** Whether writes wait. */
  get isHeld(): boolean {
    return this.#held
  }

  /** Whether a transaction may begin now. */
  get isFree(): boolean {
    return !this.#closed && !this.#held && !this.db.inTransaction
  }

  /** Reports something that failed inside; a refusal is no failure. */
  report(error: unknown, where: string, trace_id?: string): void {
    if (error instanceof CofferError && error.status < 500) return
    this.#onIncident(incidentOf(error, where, trace_id ?? null, Date.now()))
  }

  /** Throws `locked` once the file is closed. */
  assertOpen(): void {
    if (this.#closed) throw locked()
  }

  hold(): void {
    this.#held = true
  }

  release(): void {
    this.#held = false
  }

  close(): void {
    this.#closed = true
    this.db.close()
    // SECURITY: the keys of callers stay in no map, whoever still holds the engine.
    this.callers.forget()
  }
}
