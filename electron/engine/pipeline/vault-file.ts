import { randomUUID } from 'node:crypto'
import { CofferError } from '../../../shared/errors.ts'
import type { Incident } from '../../../shared/schemas/incident.ts'
import type { TenantSettings } from '../../../shared/settings.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { emptyWriteAheadLog } from '../db/commit-count.ts'
import type { FileGuard, FileLoss } from '../db/file-guard.ts'
import { LogSync } from '../db/log-sync.ts'
import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'
import { toReadError } from '../db/storage-error.ts'
import { Callers } from './callers.ts'
import { ClockGuard } from './clock-guard.ts'
import { toIncident } from './incident.ts'
import { createLockedError } from './locked.ts'
import type { ResourceHooks } from './resource-hooks.ts'

type VaultFileDeps = {
  readonly db: Database
  readonly keyring: Keyring
  readonly tenant_id: string
  /** The clock, in epoch ms. */
  readonly now: () => number
  /** The vault lives in memory. */
  readonly ephemeral: boolean
  /** Null where the files may go: those of a vault in memory. */
  readonly fileGuard: FileGuard | null
  readonly resources: ResourceHooks
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
  readonly clock: ClockGuard
  /** Tells what this opening of the vault began from what an earlier one did; the same when the file is only opened again. */
  opening: string = randomUUID()
  readonly #onIncident: VaultFileDeps['onIncident']
  readonly #resources: ResourceHooks
  readonly #fileGuard: FileGuard | null
  /** Null for a vault in memory, which does not wait for the disk. */
  readonly #sync: LogSync | null
  #onSynced: (() => void) | null = null
  #lost: CofferError | null = null
  #onLost: ((loss: FileLoss) => void) | null = null
  #settings: TenantSettings | null = null
  #closed = false
  #hasPausedWrites = false
  #isCheckpointing = false

  constructor(deps: VaultFileDeps) {
    this.db = deps.db
    this.keyring = deps.keyring
    this.tenant_id = deps.tenant_id
    this.now = deps.now
    this.ephemeral = deps.ephemeral
    this.callers = new Callers(deps.db, deps.resources)
    this.clock = new ClockGuard(deps)
    this.#resources = deps.resources
    this.#fileGuard = deps.fileGuard
    this.#sync = deps.ephemeral ? null : new LogSync(deps.db, () => this.assertPresent())
    this.#onIncident = deps.onIncident
  }

  /** The tenant's current settings (rule R-02). */
  get settings(): TenantSettings {
    this.#settings ??= this.#resources.readSettings(this.db)
    return this.#settings
  }

  /** Drops the caches, because something changed or was rolled back. */
  invalidateCaches(): void {
    this.callers.invalidateActors()
    this.#resources.invalidateCaches(this.db)
    this.#settings = null
  }

  /** Whether the file has been closed. */
  get isClosed(): boolean {
    return this.#closed
  }

  /** Whether writes are held back. */
  get hasPausedWrites(): boolean {
    return this.#hasPausedWrites
  }

  /** Whether queued writes and waiting records are held back for some milliseconds, for a checkpoint. */
  get isCheckpointing(): boolean {
    return this.#isCheckpointing
  }

  /** Whether the disk has not confirmed the last commit yet. Queued writes and waiting records wait for that. */
  get isSyncing(): boolean {
    return this.#sync?.isBusy === true
  }

  /** Whether a transaction may begin now. */
  get isFree(): boolean {
    return !this.#closed && !this.#hasPausedWrites && !this.#lost && !this.db.inTransaction
  }

  /** The refusal for an error met in this file: `toReadRefusal`. */
  toReadError(error: unknown): CofferError {
    return toReadError(error, this.db.name)
  }

  /** Reports an internal failure. Refusals are ignored. */
  reportIncident(error: unknown, where: string, trace_id?: string): void {
    if (error === this.#lost) return
    if (error instanceof CofferError && (error.status < 500 || error.thrown_status !== undefined)) return
    this.#onIncident(toIncident(error, where, trace_id ?? null, Date.now()))
  }

  /** Throws `unavailable` once the files are lost, `locked` once they are closed. */
  assertOpen(): void {
    if (this.#lost) throw this.#lost
    if (this.#closed) throw createLockedError()
  }

  /** Whether the files were found missing, replaced or cut. Nothing is written to them from then on. */
  get isLost(): boolean {
    return this.#lost !== null
  }

  /**
   * Throws `unavailable` unless the files are still at their paths; some microseconds. Called before each
   * transaction, because what is written to a removed file is gone, and after it, before anything is answered.
   */
  assertPresent({ thoroughly = false } = {}): void {
    if (this.#lost) throw this.#lost
    if (this.#closed || !this.#fileGuard) return
    const loss = this.#fileGuard.checkFiles() ?? (thoroughly && this.#fileGuard.isLogHollow() ? 'cut' : null)
    if (!loss) return
    this.#lost = new CofferError(
      'unavailable',
      'The files of this vault were removed, moved or replaced while it was open. This call changed nothing. Coffer says where the vault is now: in its terminal and in its window.',
    )
    this.#onLost?.(loss)
    throw this.#lost
  }

  /** Calls `listener` once when the files are lost. It must not throw, and must not call the engine synchronously. */
  onLost(listener: (loss: FileLoss) => void): void {
    this.#onLost = listener
  }

  /** Moves the write-ahead log into the file and empties it. No other connection may be moving it. */
  emptyLog(): void {
    this.assertSynced()
    emptyWriteAheadLog(this.db)
    this.#fileGuard?.acceptEmptiedLog()
  }

  /** The files at their paths; null for a vault in memory. */
  get fileGuard(): FileGuard | null {
    return this.#fileGuard
  }

  /**
   * Waits for the disk until it has confirmed the last commit. Called before every commit that waits for the disk
   * itself. Throws `storage_full` or `unavailable` if the disk has refused one.
   */
  assertSynced(): void {
    this.#sync?.assertSynced()
  }

  /** As `settle`, but returns whether the disk has all commits: whoever made the one it refused is told. */
  isOnDisk(): boolean {
    try {
      this.assertSynced()
      return true
    } catch {
      return false
    }
  }

  /** Waits as `settle` does, and never throws. */
  finishSync(): void {
    this.#sync?.finish()
  }

  /**
   * Runs one transaction, after `settle`. Its commit waits for the disk beside other calls; `then` is called once it is
   * there, or with the error if the disk refuses it: at once if it wrote nothing. Throws what the transaction throws.
   */
  commitInBackground<T>(transaction: () => T, then: (done: T, error: unknown) => void): void {
    const before = this.#changedRows
    const done = this.runUnsynced(transaction)
    const isWritten = this.#changedRows !== before
    this.whenSynced((error) => then(done, error), isWritten)
  }

  /** How many rows this connection has changed since it was opened. */
  get #changedRows(): number {
    return sql(this.db, 'SELECT total_changes()').pluck().get() as number
  }

  /** Runs one transaction, whose commit does not wait for the disk. If it commits, `whenSynced` must follow. */
  runUnsynced<T>(transaction: () => T): T {
    return this.#sync ? this.#sync.runUnsynced(transaction) : transaction()
  }

  /** Calls `then` as `commitBeside` does. Without anything written, there is nothing to wait for. */
  whenSynced(then: (error: unknown) => void, isWritten = true): void {
    const onDone = (error: unknown) => {
      then(error)
      this.#onSynced?.()
    }
    if (this.#sync && isWritten) this.#sync.startSync(onDone)
    else onDone(null)
  }

  /** Calls `listener` whenever the disk has been waited for beside other calls. It must not throw. */
  onSynced(listener: () => void): void {
    this.#onSynced = listener
  }

  /** Holds writes back until `release`. */
  pauseWrites(): void {
    this.#hasPausedWrites = true
  }

  /** Lets writes through again. */
  resumeWrites(): void {
    this.#hasPausedWrites = false
  }

  /** Asks queued writes and waiting records to wait for a checkpoint, or no longer. */
  setCheckpointing(isCheckpointing: boolean): void {
    this.#isCheckpointing = isCheckpointing
  }

  /** Closes the file and drops the cached callers. */
  close(): void {
    this.#closed = true
    this.db.close()
    // SECURITY: no map keeps callers' keys, even while something still holds the engine.
    this.callers.invalidateActors()
    this.callers.runKeys.revokeAll()
  }
}
