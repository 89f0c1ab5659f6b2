import path from 'node:path'
import { CofferError } from '../../../shared/errors.ts'
import {
  addCommitCountSeal,
  createLockedError,
  deriveCountKey,
  Engine,
  type EngineHandover,
  type ReportIncident,
  runAfterwards,
  toCofferError,
  toStorageError,
} from '../../engine/index.ts'
import type { Header } from '../files/header.ts'
import type { getFilesIn } from '../files/vault-files.ts'
import type { VaultLock } from '../files/vault-lock.ts'
import { getIncidents, type Incidents } from '../incidents/incidents.ts'
import type { JobWatch } from '../jobs/background.ts'
import { createExclusiveRunner } from '../jobs/run-exclusive.ts'
import { FileWatch } from './file-watch.ts'
import type { InMemoryControls } from './in-memory-controls.ts'
import { bringToSafety } from './lost-files.ts'

type VaultDeps = {
  readonly name: string
  readonly files: ReturnType<typeof getFilesIn>
  readonly engine: Engine
  readonly master: Buffer
  readonly vaultLock: VaultLock
  /** Says that opening migrated the file, and where the backup is. */
  readonly upgrade?: string | undefined
  /** Creates the test controls of an in-memory vault. Not set for a stored vault. */
  readonly controls?: (vault: OpenVault) => InMemoryControls
  readonly afterwards?: () => void
}

/** How long to wait after a failed rescue before the next attempt. */
const RESCUE_RETRY_DELAY_MS = 5000

/** A vault that is open in this process. */
export class OpenVault {
  readonly name: string
  readonly files: ReturnType<typeof getFilesIn>
  /** Says that opening migrated the file, and where the backup is. */
  readonly upgrade: string | undefined
  /** The controls for tests. Null for a stored vault. */
  readonly controls: InMemoryControls | null
  /** Runs long operations on the keys or files of this vault one after another. */
  readonly runExclusive = createExclusiveRunner()
  readonly #deps: VaultDeps
  /** Called when the vault's files are lost, with sentences for its owner and with whether the vault is now closed. */
  onLost: (sentences: string, isClosed: boolean) => void = () => {}
  readonly #locked = new AbortController()
  readonly #watch: FileWatch | null
  #engine: Engine
  #rescueAfter = 0

  constructor(deps: VaultDeps) {
    this.name = deps.name
    this.files = deps.files
    this.upgrade = deps.upgrade
    this.#engine = deps.engine
    this.#deps = deps
    this.controls = deps.controls?.(this) ?? null
    this.#watch = this.controls ? null : this.#watchFiles(deps)
    this.#watchForLoss()
  }

  get engine(): Engine {
    return this.#engine
  }

  get isLocked(): boolean {
    return this.#locked.signal.aborted
  }

  /** Where to report internal errors. No file is used for an in-memory vault. */
  get incidents(): Incidents {
    return getIncidents(this.controls ? null : path.dirname(this.files.folder))
  }

  assertOpen(): void {
    if (this.isLocked) throw createLockedError()
  }

  /** Returns the same watch with a signal that is also aborted when the vault is locked. */
  withLockAbort({ signal, onProgress }: JobWatch): JobWatch {
    return {
      onProgress,
      signal: signal ? AbortSignal.any([signal, this.#locked.signal]) : this.#locked.signal,
    }
  }

  /** Runs an action on the entire vault and logs how it ended (rule O-05). */
  async runRecorded<T>(
    operation: `vault.${string}`,
    run: () => T | Promise<T>,
    by: 'owner' | 'vault' = 'owner',
  ): Promise<T> {
    const started = performance.now()
    const recordResult = (error?: CofferError) =>
      this.#engine.outcomes.recordMaintenance(operation, by, error, performance.now() - started)
    try {
      const result = await run()
      recordResult()
      return result
    } catch (error) {
      recordResult(toCofferError(error))
      throw error
    }
  }

  /** Passes the master secret to `use`. SECURITY: never store or copy it, because locking wipes it. */
  withMaster<T>(use: (master: Buffer) => T): T {
    return use(this.#deps.master)
  }

  /** Replaces the engine and closes the old one. Changes nothing if `open` throws. */
  replaceEngine(open: (master: Buffer) => Engine): void {
    this.assertOpen()
    const before = this.#engine
    // Pending writes belong to the old state: their records and changes go out before those of the new one.
    before.lifecycle.drain()
    before.lifecycle.pauseWrites()
    try {
      this.#engine = open(this.#deps.master)
    } catch (error) {
      before.lifecycle.resumeWrites()
      throw error
    }
    before.close()
  }

  /**
   * Closes the vault, lets `swap` put another database file in place, and opens it with the master secret `next`,
   * which is copied. Pending calls are answered afterwards. On failure the old file and secret stay in use. If the new
   * file cannot be opened at a second attempt either, the vault is locked.
   */
  changeMaster(next: Buffer, swap: () => void): void {
    const { files, master } = this.#deps
    const handover = this.#engine.lifecycle.closeForHandover()
    let failure: CofferError | null = null
    try {
      // After a crash, either secret may be the valid one, so the commit count is sealed under both.
      addCommitCountSeal(files.database, deriveCountKey(master), deriveCountKey(next))
      swap()
      next.copy(master)
    } catch (error) {
      failure = toStorageError(error, files.database)
    }
    try {
      this.#engine = this.#openFromHandover(handover)
      this.#watchForLoss()
    } catch (error) {
      failure ??= toStorageError(error, files.database)
      this.incidents.reportError(error, 'change of the master secret')
      for (const { reject } of handover.queue) reject(failure)
      this.lock()
    }
    if (failure) throw failure
  }

  /** Opens the database file at the vault's path. Tries twice, because a disk error or a limit may be temporary. */
  #openFromHandover(handover: EngineHandover): Engine {
    const { files, master } = this.#deps
    try {
      return Engine.openFromHandover(files.database, master, handover)
    } catch (error) {
      this.incidents.reportError(error, 'change of the master secret')
      return Engine.openFromHandover(files.database, master, handover)
    }
  }

  /**
   * Publishes the base URL of this process's listener for other processes; `undefined` means that the listener is off
   * (X-31).
   */
  announceUrl(url: string | undefined): void {
    this.#deps.vaultLock.announceUrl(url)
  }

  #watchFiles({ name, files, vaultLock }: VaultDeps): FileWatch {
    const { incidents } = this
    const onLost = (header: Header | null) => this.#rescueFiles(header)
    return new FileWatch({ name, files, vaultLock, incidents, engine: () => this.#engine, onLost })
  }

  /** Checks the files once the call that noticed a loss is answered. */
  #watchForLoss(): void {
    this.#engine.lifecycle.onLost((loss) => {
      this.incidents.reportError(new Error(), `files ${loss}`)
      const reportIncident: ReportIncident = (error, where) => this.incidents.reportError(error, where)
      runAfterwards(reportIncident, 'files', () => this.#watch?.checkFiles())
    })
  }

  /** Rescues a vault whose files are lost, and locks it. Until that succeeds, its connection stays open. */
  #rescueFiles(header: Header | null): void {
    if (this.isLocked || performance.now() < this.#rescueAfter) return
    const { name, files } = this
    try {
      if (!header) throw new CofferError('unavailable', `${files.header} could not be read before.`)
      const lost = { name, files, engine: this.#engine, header, now: Date.now() }
      const sentences = this.withMaster((master) => bringToSafety(lost, master))
      this.#closeVault()
      this.onLost(sentences, true)
    } catch (error) {
      this.incidents.reportError(error, 'rescue')
      this.#rescueAfter = performance.now() + RESCUE_RETRY_DELAY_MS
      const { message } = toStorageError(error, files.folder)
      this.onLost(
        `The files of the vault ${name} were removed or replaced while it was open, and could not be written again yet: ${message} Coffer keeps trying. Do not stop it until that succeeds.`,
        false,
      )
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.lock()
  }

  /** Closes the engine, wipes the master secret and lets other processes open the vault. Safe to repeat. */
  lock(): void {
    // Files that were lost a moment ago are rescued first, so that no answered call is lost.
    this.#rescueAfter = 0
    if (!this.isLocked) this.#watch?.checkFiles()
    this.#closeVault()
  }

  #closeVault(): void {
    if (this.isLocked) return
    this.#locked.abort()
    this.#watch?.stop()
    const { master, vaultLock, afterwards } = this.#deps
    try {
      this.#engine.close()
    } finally {
      // SECURITY: even if closing fails, no key stays behind.
      master.fill(0)
      vaultLock.release()
      afterwards?.()
    }
  }
}
