import type { Change } from '../../shared/changes.ts'
import { type Client, clientOver } from '../../shared/client.ts'
import { CofferError } from '../../shared/errors.ts'
import type { ClockAhead } from '../../shared/schemas/clock-ahead.ts'
import type { Incident } from '../../shared/schemas/incident.ts'
import type { Settings } from '../../shared/settings.ts'
import { createKeys, createLogKey, databaseKey, Keyring } from './crypto/keyring.ts'
import { type RotateOptions, rotateDataKey } from './crypto/rotate-data-key.ts'
import { migrate } from './db/migrate.ts'
import { migrations } from './db/migrations.ts'
import { type Database, endWriteAheadLog, letShrink, openDatabase } from './db/open.ts'
import { toCofferError } from './db/storage-error.ts'
import { upkeepRecord } from './door/by-the-vault.ts'
import type { Answer, Call, Caller, CallInfo, IdentifiedCaller } from './door/call.ts'
import { type EarlyAnswer, recordOfEarly } from './door/call-record.ts'
import type { LastUses } from './door/callers.ts'
import { CommitQueue, type Pending } from './door/commit-queue.ts'
import type { Committed, Deliver } from './door/committed.ts'
import { Door } from './door/door.ts'
import { incidentOf } from './door/incident.ts'
import { LogBuffer } from './door/log-buffer.ts'
import type { LogRecord, WrittenLogRecord } from './door/records.ts'
import { createSeenClock } from './door/seen-clock.ts'
import { VaultFile } from './door/vault-file.ts'
import { forgetTemplates } from './expressions/template.ts'
import { Indexer } from './logs/indexer.ts'
import { type Operations, operationNamed } from './operations.ts'
import { resources } from './resources.ts'
import { Sweeper } from './sweep/sweeper.ts'
import { createTenant, findTenantId } from './tenants/store.ts'

export type EngineOptions = {
  /** The clock, in epoch ms. */
  readonly now?: () => number
  /** Called before migrations run on a file that holds data, to back it up. */
  readonly beforeMigrating?: (db: Database, from: number, to: number) => void
  /** Receives log records once they are on disk. Must not throw, and must not call the engine synchronously. */
  readonly onLog?: (records: readonly WrittenLogRecord[]) => void
  /** Receives changes once they are on disk. Must not throw, and must not call the engine synchronously. */
  readonly onChanges?: (changes: readonly Change[]) => void
  /** Receives each internal failure, such as an error in a handler. Must not throw. */
  readonly onIncident?: (incident: Incident) => void
  /** Called when deleting begins to wait for the owner, when what waits has changed, and when it no longer waits. */
  readonly onClock?: () => void
  /** The file does not outlive the process, so nothing waits for the disk, and applications may take fixed keys. */
  readonly ephemeral?: boolean
}

/** The pending work that an engine hands to its successor. */
export type Waiting = {
  readonly options: EngineOptions
  readonly isSweeping: boolean
  readonly queue: readonly Pending[]
  readonly records: readonly LogRecord[]
  readonly lastUses: LastUses
}

/** The service over one open vault file: opens and closes the file, and passes every call to the door. */
export class Engine {
  readonly tenant_id: string
  readonly #options: EngineOptions
  readonly #file: VaultFile
  readonly #log: LogBuffer
  readonly #door: Door
  readonly #queue: CommitQueue
  readonly #sweeper: Sweeper
  readonly #indexer: Indexer

  private constructor(db: Database, master: Buffer, tenant_id: string, options: EngineOptions) {
    this.tenant_id = tenant_id
    this.#options = options
    const deliver: Deliver = (committed) => this.#deliver(committed)
    this.#file = new VaultFile({
      db,
      keyring: new Keyring(db, master, tenant_id),
      tenant_id,
      now: options.now ?? Date.now,
      ephemeral: options.ephemeral ?? false,
      resources,
      onIncident: options.onIncident ?? (() => {}),
    })
    this.#log = new LogBuffer(this.#file, deliver)
    this.#door = new Door(this.#file, this.#log)
    this.#queue = new CommitQueue(this.#file, this.#door, this.#log, deliver)
    this.#sweeper = new Sweeper(this.#file, deliver, options.onClock)
    this.#indexer = new Indexer(this.#file)
    this.#indexer.wake()
  }

  /** Creates a vault file for a 32-byte master secret. The file must not exist. Throws a CofferError if it cannot. */
  static create(
    file: string,
    master: Buffer,
    vault: { readonly tenant_id: string; readonly name: string },
    options: EngineOptions = {},
  ): Engine {
    const db = openWith(file, master, { create: true, ...options })
    try {
      migrate(db, migrations)
      const now = (options.now ?? Date.now)()
      db.transaction(() => {
        createTenant(db, { id: vault.tenant_id, name: vault.name, created_at: now })
        createSeenClock(db, now)
        createKeys(db, master, vault.tenant_id, now)
      })()
      return new Engine(db, master, vault.tenant_id, options)
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** Opens an existing vault file and runs its pending migrations. Throws a CofferError that says why it cannot. */
  static open(file: string, master: Buffer, options: EngineOptions = {}): Engine {
    const db = openWith(file, master, { create: false, ...options })
    try {
      migrate(db, migrations, options.beforeMigrating ? { beforeMigrating: options.beforeMigrating } : {})
      try {
        letShrink(db)
      } catch (error) {
        // For example where the disk is full: the file stays as it is, and the next opening tries again.
        options.onIncident?.(incidentOf(error, 'rewriting the file', null, Date.now()))
      }
      const tenant_id = findTenantId(db)
      createLogKey(db, master, tenant_id, (options.now ?? Date.now)())
      return new Engine(db, master, tenant_id, options)
    } catch (error) {
      db.close()
      throw error
    }
  }

  /**
   * Opens a vault file in place of the one an engine left, and answers the calls that engine had queued. Throws as
   * `open` does.
   */
  static succeed(
    file: string,
    master: Buffer,
    { options, isSweeping, queue, records, lastUses }: Waiting,
  ): Engine {
    const engine = Engine.open(file, master, options)
    engine.#queue.takeOver(queue)
    engine.#log.putBack(records)
    engine.#file.callers.takeOver(lastUses)
    if (isSweeping) engine.startSweeping()
    engine.release()
    return engine
  }

  /**
   * Commits pending writes, then queues new ones until `release`, `leave` or `close`. Reads are still answered. Throws
   * `locked`.
   */
  hold(): void {
    this.#file.assertOpen()
    this.#queue.drain()
    this.#log.flush()
    this.#settleSeals()
    this.#file.hold()
  }

  /** Resumes queued writes. */
  release(): void {
    this.#file.release()
    if (this.#file.isClosed) return
    this.#queue.resume()
    this.#log.flush()
    this.#indexer.wake()
  }

  /**
   * Closes the file, leaving no write-ahead log next to it, and returns the pending work for a successor. Throws
   * `locked`, and `conflict` if another process is reading the file; in that case nothing has changed.
   */
  leave(): Waiting {
    this.#file.assertOpen()
    endWriteAheadLog(this.#file.db)
    this.#log.unknown.end()
    const waiting: Waiting = {
      options: this.#options,
      isSweeping: this.#sweeper.isStarted,
      queue: this.#queue.take(),
      records: this.#log.take(),
      lastUses: this.#file.callers.takeLastUses(),
    }
    this.close()
    return waiting
  }

  /** Finishes pending work, then closes the file. From then on the engine answers 423. */
  close(): void {
    if (this.#file.isClosed) return
    this.#sweeper.stop()
    this.#indexer.stop()
    this.#file.release()
    this.#queue.drain()
    this.#log.unknown.end()
    this.#log.flush()
    this.#queue.stop()
    this.#log.stop()
    this.#settleSeals()
    this.#file.close()
    // SECURITY: compiled expressions may hold keys that a caller wrote into them (case X-35).
    forgetTemplates()
  }

  /** A failure leaves a count that is ahead. */
  #settleSeals(): void {
    const { db, keyring } = this.#file
    try {
      keyring.settleSeals(db)
    } catch (error) {
      this.#file.report(error, 'count of seals')
    }
  }

  /** Deletes what has expired, now and then every minute until the engine is closed (rules T-14, T-15, K-03). */
  startSweeping(): void {
    this.#sweeper.start()
  }

  /** Deletes everything that has expired, in small batches. Other calls are answered between batches (rule T-14). */
  sweep(): Promise<void> {
    return this.#sweeper.sweep()
  }

  /** What waits for the owner because the clock is far ahead, as of the latest sweep; null if nothing does (case X-45). */
  get clockAhead(): ClockAhead | null {
    return this.#sweeper.clockAhead
  }

  /** Whether nothing may be deleted because of the time: the clock is far ahead, and may be wrong (case X-45). */
  get isClockFarAhead(): boolean {
    return !this.#file.isClosed && this.#file.clock.isFarAhead
  }

  /**
   * Believes a clock that is far ahead: what has waited is deleted (case X-45). Does nothing if the clock is not far
   * ahead. Throws `locked`, `storage_full`, `unavailable`.
   */
  acceptClock(): void {
    this.#file.assertOpen()
    const { db, clock } = this.#file
    if (!clock.isFarAhead) return
    try {
      db.transaction(() => clock.believe()).immediate()
    } catch (error) {
      throw toCofferError(error)
    }
    this.recordUpkeep('vault.acceptClock', 'owner')
    this.#sweeper.resume()
  }

  /** Delivers what one transaction collected, after its commit. */
  #deliver({ records, changes }: Committed): void {
    const last = records.at(-1)
    if (last) {
      this.#indexer.wroteUpTo(last.seq)
      this.#options.onLog?.(records)
    }
    if (changes.length > 0) this.#options.onChanges?.(changes)
  }

  /** Whether the data key was changed and some values are still sealed under an old one. */
  get isRotating(): boolean {
    return this.#file.keyring.dataKeys > 1
  }

  /** About how many values the data key has sealed; after a crash, up to 65,536 too many. */
  get seals(): number {
    return this.#file.keyring.seals
  }

  /**
   * Reseals every value under a new data key, then removes the old one. Works in small batches, between which other
   * calls are answered, and resumes a change that was stopped. Both keys exist until it is finished. Rejects with
   * `cancelled` if `signal` stops it, `locked`, `storage_full` or `unavailable`.
   */
  async rotateDataKey(master: Buffer, options: RotateOptions = {}): Promise<void> {
    const { db, keyring, now } = this.#file
    const assertOpen = () => this.#file.assertOpen()
    const vault = { db, keyring, master, now: now(), assertOpen }
    try {
      await rotateDataKey(vault, options)
    } catch (error) {
      this.#file.report(error, 'change of the data key')
      throw toCofferError(error)
    }
  }

  /** The tenant's current settings (rule R-02). Throws `locked`. */
  get settings(): Settings {
    this.#file.assertOpen()
    return this.#file.settings
  }

  /** The engine's clock, in epoch ms. */
  now(): number {
    return this.#file.now()
  }

  /**
   * Returns the caller a key identifies, so that a listener can refuse a request before reading its body (rule A-04).
   * Throws `unauthenticated`, `locked`.
   */
  identify(key: string): IdentifiedCaller {
    this.#file.assertOpen()
    return this.#file.callers.identify(key, this.#file.now())
  }

  /**
   * Runs an operation for a caller. Reads run immediately. Writes that are pending at the same time share one commit,
   * each in its own savepoint, and are answered once it is on disk. Rejects only with CofferErrors.
   */
  call(name: string, input: unknown, caller: Caller, info: CallInfo = {}): Promise<Answer> {
    try {
      this.#file.assertOpen()
      const operation = operationNamed(name)
      if (!operation) throw new CofferError('not_found', 'There is no such operation.')
      const call: Call = { operation, name, input, caller, info }
      // Reads ignore idempotency keys.
      return operation.effect === 'read' ? this.#read(call) : this.#write(call)
    } catch (error) {
      const failure = toCofferError(error)
      this.#file.report(failure, name, info.trace_id)
      return Promise.reject(failure)
    }
  }

  /** The typed client of a caller in this process: `engine.as(owner).tokens.create(input)`. Rejects as `call` does. */
  as(caller: Caller, info?: CallInfo): Client<Operations> {
    return clientOver<Operations>(async (name, input) => (await this.call(name, input, caller, info)).output)
  }

  #read(call: Call): Promise<Answer> {
    const { outcome, record } = this.#door.run(call, null)
    if (record) this.#log.add(record)
    return 'error' in outcome ? Promise.reject(outcome.error) : Promise.resolve(outcome.answer)
  }

  /** Queues a write for the next commit. If its idempotency key is refused, the refusal is recorded. */
  #write(call: Call): Promise<Answer> {
    let scope: Buffer | null
    try {
      scope = this.#queue.admit(call)
    } catch (error) {
      this.#log.add(this.#recordOfEarly(call, toCofferError(error)))
      throw error
    }
    return this.#queue.run(call, scope)
  }

  /**
   * Records an operation that was refused before it reached the engine: no valid key, an unreadable body, a fault
   * (rules A-04, O-05). Many refusals of callers without a valid key share a record (case X-50). Does nothing once the
   * file is closed.
   */
  refuse(
    name: string,
    caller: Caller,
    answer: CofferError | EarlyAnswer,
    info: CallInfo = {},
    input: unknown = {},
  ): void {
    const operation = operationNamed(name)
    if (!operation || this.#file.isClosed) return
    const record = this.#recordOfEarly({ operation, name, input, caller, info }, answer)
    if (record.actor_type === 'unknown' && !this.#log.unknown.refused()) return
    this.#log.add(record)
  }

  #recordOfEarly(call: Call, answer: CofferError | EarlyAnswer): LogRecord {
    const { keyring, callers } = this.#file
    const now = this.#file.now()
    return recordOfEarly(call, callers.actorIfValid(call.caller, now), answer, { now, keyring })
  }

  /**
   * Records an action on the whole vault that is no operation, such as a backup or a new key, by the owner or by the
   * vault on schedule (rule O-05). The record is on disk when this returns, unless the disk itself failed.
   */
  recordUpkeep(operation: `vault.${string}`, by: 'owner' | 'vault', error?: CofferError, ms = 0): void {
    if (this.#file.isClosed) return
    this.#log.add(upkeepRecord(operation, by, { now: this.#file.now(), error, ms }))
    this.flushLog()
  }

  /** Writes the log records and last uses waiting in memory. If that fails, the records wait for the next attempt. */
  flushLog(): void {
    this.#log.flush()
  }
}

/** SECURITY: the database key is wiped whether or not opening succeeds. */
function openWith(
  file: string,
  master: Buffer,
  { create, ephemeral }: { create: boolean; ephemeral?: boolean },
): Database {
  const key = databaseKey(master)
  try {
    const db = openDatabase(file, key, { create })
    if (ephemeral) db.pragma('synchronous = OFF')
    return db
  } finally {
    key.fill(0)
  }
}
