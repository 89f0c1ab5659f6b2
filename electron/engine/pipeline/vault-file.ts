import { randomUUID } from 'node:crypto'
import { CofferError } from '../../../shared/errors.ts'
import type { Permission } from '../../../shared/permissions.ts'
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
  readonly ephemeral: boolean
  /** Null for an in-memory vault, which has no files to guard. */
  readonly fileGuard: FileGuard | null
  readonly resources: ResourceHooks
  /** Receives each internal failure. Must not throw. */
  readonly onIncident: (incident: Incident) => void
  /** Returns the packages that code may require, with their versions. */
  readonly packages: () => ReadonlyMap<string, string>
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
  readonly packages: VaultFileDeps['packages']
  /**
   * Identifies this opening of the vault, so that runs of code that began in an earlier opening can be recognized.
   * Stays the same when only the file is reopened.
   */
  opening: string = randomUUID()
  readonly #onIncident: VaultFileDeps['onIncident']
  readonly #resources: ResourceHooks
  readonly #fileGuard: FileGuard | null
  /** Null for an in-memory vault, which does not wait for the disk. */
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
    this.packages = deps.packages
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

  /** Drops the caches after a change or a rollback. */
  invalidateCaches(): void {
    this.callers.invalidateActors()
    this.#resources.invalidateCaches(this.db)
    this.#settings = null
  }

  getRequiredPermissions(operation: string): readonly Permission[] {
    return this.#resources.getRequiredPermissions(operation)
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /** Whether `pauseWrites` holds writes back. */
  get hasPausedWrites(): boolean {
    return this.#hasPausedWrites
  }

  /** Whether queued writes and pending records wait, for some milliseconds, until a checkpoint is done. */
  get isCheckpointing(): boolean {
    return this.#isCheckpointing
  }

  /** Whether the disk has not confirmed the last commit yet. Queued writes and pending records wait for it. */
  get isSyncing(): boolean {
    return this.#sync?.isBusy === true
  }

  /** Whether a transaction may start now. */
  get isFree(): boolean {
    return !this.#closed && !this.#hasPausedWrites && !this.#lost && !this.db.inTransaction
  }

  toReadError(error: unknown): CofferError {
    return toReadError(error, this.db.name)
  }

  /** Reports an internal failure. Ignores other errors. */
  reportIncident(error: unknown, where: string, trace_id?: string): void {
    if (error === this.#lost) return
    if (error instanceof CofferError && (error.status < 500 || error.thrown_status !== undefined)) return
    this.#onIncident(toIncident(error, where, trace_id ?? null, Date.now()))
  }

  /** Throws `unavailable` if the files are lost, `locked` if they are closed. */
  assertOpen(): void {
    if (this.#lost) throw this.#lost
    if (this.#closed) throw createLockedError()
  }

  /** Whether the files were found missing, replaced or truncated. After that, nothing is written to them. */
  get isLost(): boolean {
    return this.#lost !== null
  }

  /**
   * Throws `unavailable` unless the files are still at their paths. Takes some microseconds. Called before each
   * transaction, because what is written to a removed file is lost, and again after it, before any call is answered.
   */
  assertPresent({ thoroughly = false } = {}): void {
    if (this.#lost) throw this.#lost
    if (this.#closed || !this.#fileGuard) return
    const loss = this.#fileGuard.checkFiles() ?? (thoroughly && this.#fileGuard.isLogHollow() ? 'cut' : null)
    if (!loss) return
    this.#lost = new CofferError(
      'unavailable',
      'The files of this vault were removed, moved or replaced while it was open, so this call failed. The terminal and the window of Coffer show where the vault is now.',
    )
    this.#onLost?.(loss)
    throw this.#lost
  }

  /** Calls `listener` once when the files are lost. It must not throw, nor call the engine synchronously. */
  onLost(listener: (loss: FileLoss) => void): void {
    this.#onLost = listener
  }

  /** Checkpoints the write-ahead log and empties it. No other connection may checkpoint at the same time. */
  emptyLog(): void {
    this.assertSynced()
    emptyWriteAheadLog(this.db)
    this.#fileGuard?.acceptEmptiedLog()
  }

  /** Guards the files at their paths; null for an in-memory vault. */
  get fileGuard(): FileGuard | null {
    return this.#fileGuard
  }

  /**
   * Blocks until the disk has confirmed the last commit. Called before every commit that itself waits for the disk.
   * Throws `storage_full` or `unavailable` if the disk has rejected a commit.
   */
  assertSynced(): void {
    this.#sync?.assertSynced()
  }

  /**
   * Like `assertSynced`, but returns whether all commits are on disk instead of throwing. The callers of a rejected
   * commit have already received the error.
   */
  isOnDisk(): boolean {
    try {
      this.assertSynced()
      return true
    } catch {
      return false
    }
  }

  /** Like `assertSynced`, but never throws. */
  finishSync(): void {
    this.#sync?.finish()
  }

  /**
   * Runs one transaction; call `assertSynced` before. Other calls run while the commit waits for the disk. Calls
   * `then` once the commit is on disk, or with the error if the disk rejects it; immediately if nothing was
   * written. Throws what the transaction throws.
   */
  commitInBackground<T>(transaction: () => T, then: (done: T, error: unknown) => void): void {
    const before = this.#changedRows
    const done = this.runUnsynced(transaction)
    const isWritten = this.#changedRows !== before
    this.waitForSync((error) => then(done, error), isWritten)
  }

  /** The number of rows that this connection has changed since it was opened. */
  get #changedRows(): number {
    return sql(this.db, 'SELECT total_changes()').pluck().get() as number
  }

  /** Runs one transaction whose commit does not wait for the disk. If it commits, `waitForSync` must be called next. */
  runUnsynced<T>(transaction: () => T): T {
    return this.#sync ? this.#sync.runUnsynced(transaction) : transaction()
  }

  /**
   * Calls `then` once the last commit is on disk, or with the error if the disk rejects that commit; immediately if
   * nothing was written.
   */
  waitForSync(then: (error: unknown) => void, isWritten = true): void {
    const onDone = (error: unknown) => {
      then(error)
      this.#onSynced?.()
    }
    if (this.#sync && isWritten) this.#sync.startSync(onDone)
    else onDone(null)
  }

  /** Calls `listener` after every background sync. The listener must not throw. */
  onSynced(listener: () => void): void {
    this.#onSynced = listener
  }

  /** Makes queued writes wait until `resumeWrites` is called. */
  pauseWrites(): void {
    this.#hasPausedWrites = true
  }

  resumeWrites(): void {
    this.#hasPausedWrites = false
  }

  /** Makes queued writes and pending records wait for a checkpoint, or ends the wait. */
  setCheckpointing(isCheckpointing: boolean): void {
    this.#isCheckpointing = isCheckpointing
  }

  /** Closes the file and drops the cached callers. */
  close(): void {
    this.#closed = true
    this.db.close()
    // SECURITY: the caches of callers' keys are cleared, even while something still references the engine.
    this.callers.invalidateActors()
    this.callers.runKeys.revokeAll()
  }
}
