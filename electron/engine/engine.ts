import { type Client, createClientFrom } from '../../shared/client.ts'
import type { EntityChange } from '../../shared/entity-changes.ts'
import { CofferError } from '../../shared/errors.ts'
import type { ClockAhead } from '../../shared/schemas/clock-ahead.ts'
import type { Incident } from '../../shared/schemas/incident.ts'
import type { TenantSettings } from '../../shared/settings.ts'
import type { EventType } from '../../shared/webhook-events.ts'
import { getActorId } from './access/actor.ts'
import { createKeys, createLogKey, deriveCountKey, deriveDatabaseKey, Keyring } from './crypto/keyring.ts'
import { type RotateOptions, rotateDataKey } from './crypto/rotate-data-key.ts'
import { Checkpointer } from './db/checkpointer.ts'
import { CommitCount, recordCommit, restartCommitCount } from './db/commit-count.ts'
import { checkDatabase, copyOpenDatabase } from './db/copy-database.ts'
import { FileGuard, type FileLoss } from './db/file-guard.ts'
import type { PersistedTotal } from './db/lost-commits.ts'
import { migrateDatabase } from './db/migrate.ts'
import { migrations } from './db/migrations.ts'
import { type Database, enableShrinking, endWriteAheadLog, openDatabase } from './db/open.ts'
import { toCofferError } from './db/storage-error.ts'
import type { Event } from './events/event.ts'
import { hasSubscribers } from './events/subscriptions.ts'
import { clearTemplateCache } from './expressions/template.ts'
import { openChecked } from './files/open-checked.ts'
import { findOperation, type Operations } from './operations.ts'
import type { Caller, CallInfo, CallResult, EngineCall, IdentifiedCaller } from './pipeline/call.ts'
import { buildEarlyRecord, type EarlyResult } from './pipeline/call-record.ts'
import type { LastUses } from './pipeline/callers.ts'
import { insertClockRow } from './pipeline/clock-guard.ts'
import { CommitQueue, type PendingWrite } from './pipeline/commit-queue.ts'
import { toEventActor } from './pipeline/event-actor.ts'
import { computeIdempotencyScope } from './pipeline/idempotency.ts'
import { toIncident } from './pipeline/incident.ts'
import { Indexer } from './pipeline/indexer.ts'
import { LogBuffer, type PendingRecord } from './pipeline/log-buffer.ts'
import { toLogId } from './pipeline/log-id.ts'
import { Pipeline } from './pipeline/pipeline.ts'
import type { LogRecord, WrittenLogRecord } from './pipeline/records.ts'
import type { RunKey, RunKeys } from './pipeline/run-keys.ts'
import { createMaintenanceRecord } from './pipeline/system-records.ts'
import type { CommitResult, DeliverCommit } from './pipeline/transaction.ts'
import { TurnEnd } from './pipeline/turn-end.ts'
import { VaultFile } from './pipeline/vault-file.ts'
import { resources } from './resource-hooks.ts'
import { decryptJwes } from './resources/client-keys/decrypt.ts'
import { findClientKey } from './resources/client-keys/store.ts'
import { openChunk } from './resources/documents/chunks.ts'
import { getActiveUploads } from './resources/documents/loose-chunks.ts'
import { findDocument, isLoose } from './resources/documents/store.ts'
import { RecordIndexer } from './resources/logs/indexer.ts'
import { createTenant, findTenantId } from './resources/tenants/store.ts'
import { createMissingSessionError } from './resources/three-ds/authenticate.ts'
import { isThreeDs } from './resources/three-ds/store.ts'
import { termIndex } from './resources/tokens/search/term-index.ts'
import { Outbox, type OutboxHandover } from './resources/webhooks/outbox.ts'
import { Sweeper } from './sweep/sweeper.ts'

export type EngineOptions = {
  /** The clock, in epoch ms. */
  readonly now?: () => number
  /** Called before migrations run on a file with data, to back it up. */
  readonly beforeMigrating?: (db: Database, from: number, to: number) => void
  /** Receives log records once they are on disk. Must not throw, and must not call the engine synchronously. */
  readonly onLog?: (records: readonly WrittenLogRecord[]) => void
  /** Receives changes once they are on disk. Must not throw, and must not call the engine synchronously. */
  readonly onChanges?: (changes: readonly EntityChange[]) => void
  /**
   * Called after a commit that wrote events, or after which a delivery may be due. Must not throw, and must not
   * call the engine synchronously.
   */
  readonly onEvents?: () => void
  /** Receives each internal failure, such as an error in a handler. Must not throw. */
  readonly onIncident?: (incident: Incident) => void
  /**
   * Called when `Engine.clockAhead` changes, and when the clock was set. `clockAhead` changes whenever deletions start or
   * stop waiting for the owner to confirm the clock.
   */
  readonly onClock?: () => void
  /** The file does not outlive the process, so no write waits for the disk, and applications may have fixed keys. */
  readonly ephemeral?: boolean
  /** The total of commits that is stored outside the vault's folder. */
  readonly persistedTotal?: PersistedTotal | undefined
}

/** The pending work that an engine hands over to the next one. */
export type EngineHandover = {
  readonly options: EngineOptions
  readonly isSweeping: boolean
  readonly queue: readonly PendingWrite[]
  readonly records: readonly PendingRecord[]
  readonly lastUses: LastUses
  readonly runKeys: RunKeys
  readonly outbox: OutboxHandover
  readonly opening: string
}

/** The service for one open vault file: opens and closes the file, and passes every call to the pipeline. */
export class Engine {
  readonly tenant_id: string
  /** The events and deliveries that are still to be sent to webhooks. */
  readonly outbox: Outbox
  readonly #options: EngineOptions
  readonly #file: VaultFile
  readonly #log: LogBuffer
  readonly #pipeline: Pipeline
  readonly #queue: CommitQueue
  readonly #turnEnd = new TurnEnd()
  #calls = 0
  readonly #sweeper: Sweeper
  readonly #indexer: RecordIndexer
  readonly #terms: Indexer
  /** Null for an in-memory vault. */
  readonly #count: CommitCount | null
  /** Null for an in-memory vault. */
  readonly #checkpoints: Checkpointer | null

  private constructor(
    db: Database,
    master: Buffer,
    tenant_id: string,
    options: EngineOptions,
    count: CommitCount | null,
  ) {
    this.#count = count
    this.tenant_id = tenant_id
    const isEphemeral = options.ephemeral ?? false
    this.#options = options
    const deliverCommit: DeliverCommit = (committed) => this.#deliverCommit(committed)
    this.#file = new VaultFile({
      db,
      keyring: new Keyring(db, master, tenant_id),
      tenant_id,
      now: options.now ?? Date.now,
      ephemeral: isEphemeral,
      fileGuard: isEphemeral ? null : new FileGuard(db.name),
      resources,
      onIncident: options.onIncident ?? (() => {}),
    })
    this.#log = new LogBuffer(this.#file, deliverCommit)
    this.#pipeline = new Pipeline(this.#file, this.#log)
    this.#queue = new CommitQueue(this.#file, this.#pipeline, this.#log, deliverCommit)
    this.#file.onSynced(() => {
      if (this.#file.isClosed) return
      this.#queue.resume()
      this.#log.afterSync(this.#queue.hasWrites)
    })
    this.#sweeper = new Sweeper(this.#file, deliverCommit, options.onClock)
    this.#indexer = new RecordIndexer(this.#file)
    this.#terms = new Indexer(this.#file, termIndex)
    this.outbox = new Outbox(this.#file, deliverCommit)
    this.#checkpoints = count && this.#createCheckpointer(count, master)
    this.#indexer.scheduleIndexing()
    this.#terms.scheduleIndexing()
    // Writes the records that a killed process left in the journal.
    this.#log.flush()
  }

  #createCheckpointer(count: CommitCount, master: Buffer): Checkpointer {
    const key = deriveDatabaseKey(master)
    try {
      const checkpoints = new Checkpointer({
        file: this.#file.db.name,
        key,
        recordMoved: () => {
          // Commits that the disk has not confirmed are not counted yet.
          if (!this.#file.isSyncing) count.recordCommits()
        },
        pause: (isPaused) => this.#setCheckpointing(isPaused),
        canMove: () => !this.#file.isClosed && !this.#file.isLost,
        report: (error) => this.#file.reportIncident(error, 'checkpoint'),
      })
      count.onCounted((log) => checkpoints.onCommit(log))
      return checkpoints
    } finally {
      key.fill(0)
    }
  }

  #setCheckpointing(isPaused: boolean): void {
    if (this.#file.isCheckpointing === isPaused) return
    this.#file.setCheckpointing(isPaused)
    if (isPaused || this.#file.isClosed) return
    this.#queue.resume()
    this.#log.resume()
  }

  /**
   * Creates a vault file for a 32-byte master secret. The file must not exist. Throws a CofferError if it
   * cannot be created.
   */
  static create(
    file: string,
    master: Buffer,
    vault: { readonly tenant_id: string; readonly name: string },
    options: EngineOptions = {},
  ): Engine {
    const db = openVaultDatabase(file, master, { create: true, ...options })
    let count: CommitCount | null = null
    try {
      if (!options.ephemeral) {
        const key = deriveCountKey(master)
        count = new CommitCount({ db, key, before: null, log: null, report: createReporter(options) })
      }
      migrateDatabase(db, migrations)
      const now = (options.now ?? Date.now)()
      db.transaction(() => {
        createTenant(db, { id: vault.tenant_id, name: vault.name, created_at: now })
        insertClockRow(db, now)
        createKeys(db, master, vault.tenant_id, now)
      })()
      count?.writeRow(false)
      return new Engine(db, master, vault.tenant_id, options, count)
    } catch (error) {
      db.close()
      count?.afterClose()
      throw error
    }
  }

  /** Opens an existing vault file and runs its pending migrations. Throws a CofferError that states why it cannot. */
  static open(file: string, master: Buffer, options: EngineOptions = {}): Engine {
    const { beforeMigrating, persistedTotal } = options
    const migrating = beforeMigrating ? { beforeMigrating } : {}
    if (!options.ephemeral) {
      const report = createReporter(options)
      return openChecked({ file, master, kept: persistedTotal, migrating, report }, (db, count) => {
        tryEnableShrinking(db, options)
        return new Engine(db, master, ensureLogKey(db, master, options), options, count)
      })
    }
    const db = openVaultDatabase(file, master, { create: false, ephemeral: true })
    try {
      migrateDatabase(db, migrations, migrating)
      tryEnableShrinking(db, options)
      return new Engine(db, master, ensureLogKey(db, master, options), options, null)
    } catch (error) {
      db.close()
      throw error
    }
  }

  /**
   * Opens a vault file after another engine was closed for the handover, and runs the calls that the other engine had
   * queued. Throws like `open`.
   */
  static openFromHandover(
    file: string,
    master: Buffer,
    { options, isSweeping, queue, records, lastUses, runKeys, opening, outbox }: EngineHandover,
  ): Engine {
    const engine = Engine.open(file, master, options)
    engine.#queue.takeOver(queue)
    engine.#log.takeOver(records)
    engine.outbox.takeOver(outbox)
    engine.#file.callers.takeOver(lastUses)
    engine.#file.callers.runKeys = runKeys
    engine.#file.opening = opening
    if (isSweeping) engine.startSweeping()
    engine.resumeWrites()
    return engine
  }

  /** Queues writes until `resumeWrites`, `closeForHandover` or `close`. Reads still run. Throws `locked`. */
  pauseWrites(): void {
    this.#file.assertOpen()
    this.#file.finishSync()
    this.#writeExactSeals()
    this.#file.pauseWrites()
  }

  /** Commits pending writes and records now, however long it takes. Throws `locked`. */
  drain(): void {
    this.#file.assertOpen()
    this.#queue.drain()
    this.#log.flushReveals()
    this.#log.flush()
  }

  resumeWrites(): void {
    this.#file.resumeWrites()
    if (this.#file.isClosed) return
    this.#queue.resume()
    this.#log.resume()
    this.#indexer.scheduleIndexing()
    this.#terms.scheduleIndexing()
  }

  /**
   * Closes the file without a write-ahead log next to it, and returns the pending work for the next engine. Throws
   * `locked`, and `conflict` if another process is reading the file. A conflict leaves everything unchanged.
   */
  closeForHandover(): EngineHandover {
    this.#file.assertOpen()
    this.#file.finishSync()
    this.#log.flushReveals()
    const outbox = this.outbox.handOver()
    // The thread's connection would count as another process.
    this.#checkpoints?.stop()
    this.#count?.moveLog()
    endWriteAheadLog(this.#file.db)
    this.#log.unknownCallers.endMinute()
    const handover: EngineHandover = {
      options: this.#options,
      isSweeping: this.#sweeper.isStarted,
      queue: this.#queue.take(),
      records: this.#log.handOver(),
      lastUses: this.#file.callers.takeLastUses(),
      runKeys: this.#file.callers.handOverRunKeys(),
      opening: this.#file.opening,
      outbox,
    }
    // The database will be replaced or reopened. Its row from the last opening remains the expected one, so no
    // closing row is written.
    this.#shutDown(() => {})
    return handover
  }

  /** Finishes pending work, then closes the file. Every later call gets status 423. */
  close(): void {
    this.#shutDown(() => this.#count?.beforeClose())
  }

  #shutDown(countLast: () => void): void {
    if (this.#file.isClosed) return
    this.#file.finishSync()
    this.#checkpoints?.shutDown()
    this.#sweeper.stop()
    this.#indexer.stop()
    this.#terms.stop()
    this.#file.resumeWrites()
    this.#queue.drain()
    this.#log.unknownCallers.endMinute()
    this.#queue.stop()
    this.outbox.flush()
    this.outbox.stop()
    this.#log.close()
    // Lost files are not written any more.
    if (!this.#file.isLost) {
      this.#writeExactSeals()
      countLast()
      this.#count?.retainLogIfBehind()
    }
    this.#file.close()
    this.#count?.afterClose(this.#file.isLost)
    // SECURITY: compiled expressions may hold keys that a caller wrote into them (case X-35).
    clearTemplateCache()
  }

  /** Stores the exact count of seals. If that fails, the stored count stays too high, never too low. */
  #writeExactSeals(): void {
    const { db, keyring } = this.#file
    try {
      keyring.writeExactSeals(db)
    } catch (error) {
      this.#file.reportIncident(error, 'count of seals')
    }
  }

  /** Deletes expired data immediately, and then every minute until the engine is closed (rules T-14, T-15, K-03). */
  startSweeping(): void {
    this.#sweeper.start()
  }

  /** Deletes all expired data, in small batches between which other calls run (rule T-14). */
  sweep(): Promise<void> {
    return this.#sweeper.sweep()
  }

  /**
   * Calls `listener` once when the files are found missing, replaced or truncated. The listener must not call
   * the engine synchronously.
   */
  onLost(listener: (loss: FileLoss) => void): void {
    this.#file.onLost(listener)
  }

  /** Checks whether the files are lost, even if no call is made. */
  checkPresence(): void {
    try {
      this.#file.assertPresent({ thoroughly: true })
    } catch {
      // The listener was called, and later calls get this error.
    }
  }

  /**
   * Reads one row of the open file. Throws `locked`, `unavailable`, `damaged` or `internal` if that fails, and
   * `storage_full` while the log cannot be written.
   */
  assertResponsive(): void {
    this.#file.assertOpen()
    this.#file.assertPresent({ thoroughly: true })
    try {
      findTenantId(this.#file.db)
    } catch (error) {
      throw this.#file.toReadError(error)
    }
    this.#log.assertWritable()
  }

  /** Whether the files are lost. If so, every call gets `unavailable`, and nothing more is written. */
  get isLost(): boolean {
    return this.#file.isLost
  }

  /**
   * Closes lost files, and writes the pending records to the path to which the files were moved. Returns that path.
   * Returns null, and closes nothing, if no path is known to have the complete files; only `rescueInto` can then save
   * them.
   */
  closeIfMoved(master: Buffer): string | null {
    const path = this.#file.fileGuard?.findNewPath() ?? null
    if (path === null) return null
    this.close()
    try {
      this.#writeRecordsTo(path, master)
    } catch (error) {
      this.#file.reportIncident(error, 'log')
    }
    return path
  }

  /** Whether the database is still at its path, so that only its write-ahead log, or a part of the file, is lost. */
  get isAtItsPath(): boolean {
    return this.#file.fileGuard?.isAtItsPath ?? false
  }

  /**
   * Writes the complete content of a vault whose files are lost to the new file `target`, from the files that
   * this connection still has open, with the pending records. The copy is checked and durable. Throws
   * `conflict`, `damaged` (a part can no longer be read), `storage_full`, `unavailable`. Blocks while copying:
   * no other call runs.
   */
  rescueInto(target: string, master: Buffer): void {
    const key = deriveDatabaseKey(master)
    try {
      copyOpenDatabase(this.#file.db, target)
      checkDatabase(target, key)
      // The copy contains every counted commit.
      const counted = this.total
      if (counted) {
        const { id, total } = counted
        restartCommitCount(target, deriveCountKey(master), { id: Buffer.from(id, 'hex'), total })
      }
    } finally {
      key.fill(0)
    }
    this.#writeRecordsTo(target, master)
  }

  /** Writes the pending records to another file. This engine retains them too, for another attempt. */
  #writeRecordsTo(file: string, master: Buffer): void {
    const { onIncident, now } = this.#options
    const other = Engine.open(file, master, { ...(onIncident && { onIncident }), ...(now && { now }) })
    const records = this.#log.take(Number.POSITIVE_INFINITY)
    this.#log.putBack(records)
    other.#log.putBack(records)
    other.close()
  }

  /**
   * The data that is not deleted until the owner confirms the clock, as of the latest sweep; null if there is
   * none (case X-45).
   */
  get clockAhead(): ClockAhead | null {
    return this.#sweeper.clockAhead
  }

  /** Whether expired data must not be deleted, because the clock is far ahead and may be wrong (case X-45). */
  get isClockFarAhead(): boolean {
    return !this.#file.isClosed && this.#file.clock.isFarAhead
  }

  /**
   * Accepts a clock that is far ahead, and deletes the overdue data (case X-45). Does nothing if the clock is
   * not far ahead. Throws `locked`, `storage_full`, `unavailable`.
   */
  acceptClock(): void {
    this.#file.assertOpen()
    const { db, clock } = this.#file
    if (!clock.isFarAhead) return
    try {
      this.#file.assertSynced()
      db.transaction(() => clock.acceptTime()).immediate()
      recordCommit(db)
    } catch (error) {
      throw toCofferError(error)
    }
    this.recordMaintenance('vault.acceptClock', 'owner')
    this.#sweeper.resume()
  }

  /** Delivers the result of one transaction after its commit. */
  #deliverCommit({ records, changes }: CommitResult): void {
    const last = records.at(-1)
    if (last) {
      this.#indexer.onWritten(last.seq)
      this.#options.onLog?.(records)
    }
    if (changes.length > 0) this.#options.onChanges?.(changes)
    if (changes.some(({ entity, kind }) => entity === 'token' && kind === 'created'))
      this.#terms.scheduleIndexing()
    if (changes.some(canBeDue)) this.#options.onEvents?.()
    if (changes.some(({ entity, kind }) => entity === 'document' && kind === 'deleted'))
      this.#sweeper.requestSweep()
  }

  /** Whether the data key is being rotated: some values are still sealed under an old one. */
  get isRotating(): boolean {
    return this.#file.keyring.dataKeyCount > 1
  }

  /** About how many values the data key has sealed; up to 65,536 too many after a crash. */
  get seals(): number {
    return this.#file.keyring.seals
  }

  /**
   * Reseals every value under a new data key, then deletes the old one. Works in small batches, between which
   * other calls run, and resumes an interrupted rotation. Both keys exist until it is finished. Rejects with
   * `cancelled` if `signal` stops it, `locked`, `storage_full` or `unavailable`.
   */
  async rotateDataKey(master: Buffer, options: RotateOptions = {}): Promise<void> {
    const { db, keyring, now } = this.#file
    const assertOpen = () => {
      this.#file.assertOpen()
      this.#file.assertPresent()
      this.#file.assertSynced()
    }
    const emptyLog = () => {
      if (this.#checkpoints) this.#checkpoints.runExclusive(() => this.#file.emptyLog())
      else this.#file.emptyLog()
    }
    const vault = { db, keyring, master, now: now(), assertOpen, emptyLog }
    try {
      await rotateDataKey(vault, options)
    } catch (error) {
      this.#file.reportIncident(error, 'change of the data key')
      throw toCofferError(error)
    }
  }

  /** The tenant's current settings (rule R-02). Throws `locked`. */
  get settings(): TenantSettings {
    this.#file.assertOpen()
    return this.#file.settings
  }

  /** The total of counted commits, to be stored outside the vault's folder; null for an in-memory vault. */
  get total(): PersistedTotal | null {
    return this.#count?.total ?? null
  }

  /** How many operations have been called; work in batches uses it to detect other callers. */
  get calls(): number {
    return this.#calls
  }

  /** The engine's clock, in epoch ms. */
  now(): number {
    return this.#file.now()
  }

  /**
   * Returns the caller that a key identifies, so that a listener can reject a request before it reads the body
   * (rule A-04). Throws `unauthenticated`, `locked`.
   */
  identifyKey(key: string): IdentifiedCaller {
    this.#file.assertOpen()
    return this.#withReadErrors(() => this.#file.callers.identifyKey(key, this.#file.now()))
  }

  /** Runs a function that only reads. Throws `unavailable` if the disk fails. */
  #withReadErrors<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      throw this.#file.toReadError(error)
    }
  }

  /**
   * An id of this opening of the vault. It distinguishes what was started in this opening, such as reactor runs, from
   * what an earlier opening started. Throws `locked`.
   */
  get opening(): string {
    this.#file.assertOpen()
    return this.#file.opening
  }

  /** Whether `x`, 32 bytes in base64url, is the public part of a client encryption key. Throws `locked`. */
  hasClientKey(id: string, x: string): boolean {
    this.#file.assertOpen()
    const { db, now } = this.#file
    return findClientKey(db, id, now())?.public.toString('base64url') === x
  }

  /** Records that a page's elements made a call. */
  recordElementUse(caller: Caller, origin: string): void {
    const { isClosed, callers, now } = this.#file
    if (!isClosed && callers.recordElementUse(caller, origin, now())) this.#log.scheduleFlush()
  }

  /** Whether the file does not outlive the process. */
  get isEphemeral(): boolean {
    return this.#file.ephemeral
  }

  /** Whether exchanges are stored for the owner (rule G-07). False once the file is closed. */
  get keepsExchanges(): boolean {
    if (this.#file.isClosed) return false
    const { keep_exchanges } = this.#file.settings
    return keep_exchanges === 'always' || (keep_exchanges === 'in_memory' && this.#file.ephemeral)
  }

  /**
   * Returns the caller of a pre-configured proxy that requires no key (rule G-04). Throws `locked`, and
   * `unauthenticated` if there is no such proxy or if it requires a key.
   */
  identifyProxy(proxy_key: string): Caller {
    this.#file.assertOpen()
    const caller = { kind: 'proxy', proxy_key } as const
    this.#withReadErrors(() => this.#file.callers.requireActor(caller, this.#file.now()))
    return caller
  }

  /**
   * Returns the caller of the 3D Secure page for the session or challenge with this id (rule S-01). Throws `locked`,
   * and `not_found` if there is none. SECURITY: any web page can make a browser send such a request, so an unknown id
   * leaves no record.
   */
  identifyCardholder(id: string): Caller {
    this.#file.assertOpen()
    const isKnown = this.#withReadErrors(() => isThreeDs(this.#file.db, id.toLowerCase(), this.#file.now()))
    if (!isKnown) throw createMissingSessionError()
    return { kind: 'cardholder' }
  }

  /** Whether a webhook subscribes to events of a type. False once the file is closed. */
  hasSubscribers(type: EventType): boolean {
    return !this.#file.isClosed && hasSubscribers(this.#file.db, type)
  }

  /**
   * Queues an event that is not a change of the vault: a request, or a proxy call (rule W-01). Does nothing if no
   * webhook subscribes to it. SECURITY: `data` must never contain a token's data, or anything that is not masked (rule
   * W-05).
   */
  publishEvent(caller: Caller, type: EventType, data: Event['data'], trace_id: string): void {
    if (!this.hasSubscribers(type)) return
    const { callers, keyring } = this.#file
    const at = this.#file.now()
    const resolved = callers.findActor(caller, at)
    const actor = resolved && toEventActor(resolved, this.tenant_id)
    this.outbox.enqueueEvent(at, toLogId(trace_id, keyring), {
      type,
      data: { ...data, ...(actor && { actor }) },
    })
  }

  /** Whether the console output of code is stored with its run, for the owner (rule F-04). */
  get keepsConsole(): boolean {
    return this.#file.settings.keep_exchanges !== 'never'
  }

  /** Returns an id of a caller; null if the caller could not be recognized later, for example without a key. */
  getCallerId(caller: Caller): string | null {
    if (this.#file.isClosed) return null
    const actor = this.#file.callers.findActor(caller, this.#file.now())
    if (actor?.kind === 'owner') return 'owner'
    return actor?.kind === 'application' || actor?.kind === 'session' ? actor.id : null
  }

  /** Issues a key with the rights of an application, for one run of code (rule F-03). Throws `locked`. */
  issueRunKey(application_id: string, note: string): RunKey {
    this.#file.assertOpen()
    return this.#file.callers.runKeys.issueKey(application_id, note)
  }

  /**
   * Runs an operation for a caller. Reads run immediately. Over HTTP, their responses are sent at the end of the
   * turn; reads that show plaintext also wait until their records are written, and the records of one turn share one
   * write. Pending writes share one commit and are answered once it is on disk; a write that fails is rolled back on
   * its own. Rejects only with CofferErrors.
   */
  call(name: string, input: unknown, caller: Caller, info: CallInfo = {}): Promise<CallResult> {
    this.#calls++
    try {
      this.#file.assertOpen()
      const operation = findOperation(name)
      if (!operation) throw new CofferError('not_found', 'There is no such operation.')
      const call: EngineCall = { operation, name, input, caller, info }
      const encrypted = operation.listEncrypted?.(input) ?? []
      return encrypted.length > 0 ? this.#runDecrypted(call, encrypted) : this.#runCall(call)
    } catch (error) {
      const failure = this.#file.toReadError(error)
      this.#file.reportIncident(failure, name, info.trace_id)
      return Promise.reject(failure)
    }
  }

  /**
   * Returns a chunk of a document's content, for a download that `documents.reveal` has allowed and recorded
   * (rule D-01); null once the document is deleted. Throws `locked`, `unavailable`, `damaged`.
   */
  readChunk(document_id: string, number: number): Buffer | null {
    this.#file.assertOpen()
    try {
      const row = findDocument(this.#file.db, document_id)
      return row ? openChunk(this.#file, row, number) : null
    } catch (error) {
      this.#file.reportIncident(error, 'documents.reveal')
      throw this.#file.toReadError(error)
    }
  }

  /** Ends an upload: its chunks are deleted unless they became a document (rule D-01). */
  endUpload(document_id: string): void {
    if (this.#file.isClosed) return
    const { db } = this.#file
    if (getActiveUploads(db).delete(document_id) && isLoose(db, document_id)) this.#sweeper.requestSweep()
  }

  async #runDecrypted(call: EngineCall, encrypted: readonly string[]): Promise<CallResult> {
    // If a call contains more JWEs than the limit, it is rejected anyway, so not all of them are decrypted.
    const max = this.#file.settings.tokens_per_tokenize
    const decrypted = await decryptJwes(this.#file, encrypted.slice(0, max))
    this.#file.assertOpen()
    return this.#runCall({ ...call, decrypted })
  }

  #runCall(call: EngineCall): Promise<CallResult> {
    return call.operation.effect === 'read' ? this.#runRead(call) : this.#queueWrite(call)
  }

  /**
   * Returns a typed client for a caller in this process: `engine.as(owner).tokens.create(input)`. Rejects like
   * `call`.
   */
  as(caller: Caller, info?: CallInfo): Client<Operations> {
    return createClientFrom<Operations>(
      async (name, input) => (await this.call(name, input, caller, info)).output,
    )
  }

  #runRead(call: EngineCall): Promise<CallResult> {
    // Reads ignore idempotency keys, except reads whose later steps write.
    const scope = call.operation.replay ? this.getIdempotencyScope(call.caller, call.info) : null
    const { outcome, record, showsPlaintext } = this.#pipeline.run(call, scope)
    if (record) this.#log.assertSpace()
    // SECURITY: a response with plaintext waits until its record is written.
    if (record && showsPlaintext && 'answer' in outcome) {
      return this.#log.addBeforeResponse(record).then(() => outcome.answer)
    }
    if (record) this.#log.add(record)
    if ('error' in outcome) return Promise.reject(outcome.error)
    const { answer } = outcome
    return call.info.http ? this.#turnEnd.wait().then(() => answer) : Promise.resolve(answer)
  }

  /** Returns the scope of an idempotency key (rule A-12); null without one, and for a caller without a valid key. */
  getIdempotencyScope(caller: Caller, { idempotency }: CallInfo): Buffer | null {
    if (!idempotency || this.#file.isClosed) return null
    const actor = this.#file.callers.findActor(caller, this.#file.now())
    return actor && computeIdempotencyScope(getActorId(actor) ?? 'owner', idempotency)
  }

  /** Queues a write for the next commit. If its idempotency key is rejected, the rejection is recorded. */
  #queueWrite(call: EngineCall): Promise<CallResult> {
    let scope: Buffer | null
    try {
      scope = this.#queue.reserveScope(call)
    } catch (error) {
      this.#log.assertSpace()
      this.#log.add(this.#buildEarlyRecord(call, toCofferError(error)))
      throw error
    }
    return this.#queue.runWrite(call, scope)
  }

  /**
   * Records the outcome of an operation that ended before it reached the engine, because of a missing or invalid key,
   * an unreadable body or a fault (rules A-04, O-05). Many rejections of callers without a valid key share a record
   * (case X-50). Does nothing once the file is closed. Throws `storage_full` if the log has no space left.
   */
  recordOutcome(
    name: string,
    caller: Caller,
    answer: CofferError | EarlyResult,
    info: CallInfo = {},
    input: unknown = {},
  ): void {
    const operation = findOperation(name)
    if (!operation || this.#file.isClosed) return
    const record = this.#buildEarlyRecord({ operation, name, input, caller, info }, answer)
    if (record.actor_type === 'unknown' && !this.#log.unknownCallers.countRejection()) return
    this.#log.assertSpace()
    this.#log.add(record)
  }

  #buildEarlyRecord(call: EngineCall, answer: CofferError | EarlyResult): LogRecord {
    const { keyring, callers } = this.#file
    const now = this.#file.now()
    return buildEarlyRecord(call, callers.findActor(call.caller, now), answer, { now, keyring })
  }

  /**
   * Records an action on the whole vault other than an operation, such as a backup or a key rotation, by the
   * owner or by the vault on schedule (rule O-05). The record is on disk when this returns, unless the disk
   * itself failed.
   */
  recordMaintenance(operation: `vault.${string}`, by: 'owner' | 'vault', error?: CofferError, ms = 0): void {
    if (this.#file.isClosed) return
    this.#log.add(createMaintenanceRecord(operation, by, { now: this.#file.now(), error, ms }))
    this.flushLog()
  }

  /** Writes the pending log records and last uses. If that fails, the records wait for the next attempt. */
  flushLog(): void {
    this.#log.flush()
  }
}

/** Whether a delivery may be due now: a new one, or one of a webhook that was changed or responds again. */
function canBeDue({ entity, kind }: EntityChange): boolean {
  return (entity === 'delivery' && kind === 'created') || (entity === 'webhook' && kind === 'updated')
}

/** Enables an older file to shrink after deletions. */
function tryEnableShrinking(db: Database, { onIncident }: EngineOptions): void {
  try {
    enableShrinking(db)
  } catch (error) {
    // For example on a full disk: the file stays as it is, and the next start tries again.
    onIncident?.(toIncident(error, 'rewriting the file', null, Date.now()))
  }
}

/** Returns the vault's tenant id; a vault of an older format gets its log key first. */
function ensureLogKey(db: Database, master: Buffer, { now = Date.now }: EngineOptions): string {
  const tenant_id = findTenantId(db)
  createLogKey(db, master, tenant_id, now())
  recordCommit(db)
  return tenant_id
}

/**
 * Returns a function that reports a failure to count commits as an incident, because no caller waits for the count.
 */
function createReporter({ onIncident }: EngineOptions): (error: unknown) => void {
  return (error) => onIncident?.(toIncident(error, 'commit count', null, Date.now()))
}

/** SECURITY: the database key is wiped whether or not opening succeeds. */
function openVaultDatabase(
  file: string,
  master: Buffer,
  { create, ephemeral = false }: { create: boolean; ephemeral?: boolean },
): Database {
  const key = deriveDatabaseKey(master)
  try {
    return openDatabase(file, key, { create, durable: !ephemeral })
  } finally {
    key.fill(0)
  }
}
