import type { Change } from '../../shared/changes.ts'
import { type Client, clientOver } from '../../shared/client.ts'
import { CofferError } from '../../shared/errors.ts'
import type { Incident } from '../../shared/schemas/incident.ts'
import type { Settings } from '../../shared/settings.ts'
import { createKeys, databaseKey, Keyring } from './crypto/keyring.ts'
import { type RotateOptions, rotateDataKey } from './crypto/rotate-data-key.ts'
import { migrate } from './db/migrate.ts'
import { migrations } from './db/migrations.ts'
import { type Database, endWriteAheadLog, openDatabase } from './db/open.ts'
import { toCofferError } from './db/storage-error.ts'
import { upkeepRecord } from './door/by-the-vault.ts'
import type { Answer, Call, Caller, CallInfo, IdentifiedCaller } from './door/call.ts'
import { type EarlyAnswer, recordOfEarly } from './door/call-record.ts'
import type { LastUses } from './door/callers.ts'
import { CommitQueue, type Pending } from './door/commit-queue.ts'
import type { Committed, Deliver } from './door/committed.ts'
import { Door } from './door/door.ts'
import { LogBuffer } from './door/log-buffer.ts'
import type { LogRecord, WrittenLogRecord } from './door/records.ts'
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
  /** Gets log records once they are on disk. Must not throw, and must not call the engine synchronously. */
  readonly onLog?: (records: readonly WrittenLogRecord[]) => void
  /** Gets what changed once it is on disk. Must not throw, and must not call the engine synchronously. */
  readonly onChanges?: (changes: readonly Change[]) => void
  /** Told of what failed inside, such as an error in a handler. Must not throw. */
  readonly onIncident?: (incident: Incident) => void
  /** The file goes when the process does: nothing is worth waiting for the disk, and keys may be fixed. */
  readonly ephemeral?: boolean
}

/** What waits for an engine's successor. */
export type Waiting = {
  readonly options: EngineOptions
  readonly isSweeping: boolean
  readonly queue: readonly Pending[]
  readonly records: readonly LogRecord[]
  readonly lastUses: LastUses
}

/** The service over one open vault file: its life, and the way to its door. */
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
    this.#sweeper = new Sweeper(this.#file, deliver)
    this.#indexer = new Indexer(this.#file)
    this.#indexer.wake()
  }

  /** Makes a new vault file for a 32-byte master secret; the file must not exist. */
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
        createKeys(db, master, vault.tenant_id, now)
      })()
      return new Engine(db, master, vault.tenant_id, options)
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** Opens an existing vault file; throws a CofferError that says why it cannot. */
  static open(file: string, master: Buffer, options: EngineOptions = {}): Engine {
    const db = openWith(file, master, { create: false, ...options })
    try {
      migrate(db, migrations, options.beforeMigrating ? { beforeMigrating: options.beforeMigrating } : {})
      return new Engine(db, master, findTenantId(db), options)
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** Opens a vault file in place of the one that an engine left, and answers what waited for that engine. */
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

  /** Lets writes wait until `release`, `leave` or `close`, while reads are answered. Writes that wait now come first. */
  hold(): void {
    this.#file.assertOpen()
    this.#queue.drain()
    this.#log.flush()
    this.#file.hold()
  }

  /** Writes what waits. */
  release(): void {
    this.#file.release()
    if (this.#file.isClosed) return
    this.#queue.resume()
    this.#log.flush()
    this.#indexer.wake()
  }

  /**
   * Closes the file without a write-ahead log beside it, and gives what waits to a successor. Throws `conflict` where
   * another process reads the file; then nothing changed.
   */
  leave(): Waiting {
    this.#file.assertOpen()
    endWriteAheadLog(this.#file.db)
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

  /** Finishes what waits, then closes the file. The engine answers 423 from then on. */
  close(): void {
    if (this.#file.isClosed) return
    this.#sweeper.stop()
    this.#indexer.stop()
    this.#file.release()
    this.#queue.drain()
    this.#log.flush()
    this.#queue.stop()
    this.#log.stop()
    this.#file.close()
    // SECURITY: compiled expressions may hold keys that a caller wrote into them (case X-35).
    forgetTemplates()
  }

  /** Deletes what has expired, now and every minute until the engine is closed (rules T-14, T-15, K-03). */
  startSweeping(): void {
    this.#sweeper.start()
  }

  /** Deletes all that has expired by now, in small batches between which others are answered. */
  sweep(): Promise<void> {
    return this.#sweeper.sweep()
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

  /**
   * Seals every value again under a new data key and removes the old one, in small batches between which others are
   * answered; resumes a change that was stopped. Rejects with `cancelled` when `signal` stops it, `locked`,
   * `storage_full`, `unavailable`; until it is finished the old key stays beside the new one.
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

  /** The tenant's settings as they are at this moment (rule R-02). */
  get settings(): Settings {
    this.#file.assertOpen()
    return this.#file.settings
  }

  /** The engine's clock, in epoch ms. */
  now(): number {
    return this.#file.now()
  }

  /** The caller a key stands for; throws 401 (rule A-04). Lets a listener refuse before it reads a body. */
  identify(key: string): IdentifiedCaller {
    this.#file.assertOpen()
    return this.#file.callers.identify(key, this.#file.now())
  }

  /**
   * Runs an operation for a caller. Reads run at once; writes that wait at the same time share one commit,
   * each in its savepoint, and are answered after it is on disk. Rejects with CofferErrors only.
   */
  call(name: string, input: unknown, caller: Caller, info: CallInfo = {}): Promise<Answer> {
    try {
      this.#file.assertOpen()
      const operation = operationNamed(name)
      if (!operation) throw new CofferError('not_found', 'There is no such operation.')
      const call: Call = { operation, name, input, caller, info }
      // A read is answered as often as it is asked, whatever its idempotency key.
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

  /** Lets a write wait for its commit; that its idempotency key is refused is recorded. */
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
   * Records an operation that was refused before it came here: no valid key, a body that cannot be read, a fault
   * (rules A-04, O-05).
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
    this.#log.add(this.#recordOfEarly({ operation, name, input, caller, info }, answer))
  }

  #recordOfEarly(call: Call, answer: CofferError | EarlyAnswer): LogRecord {
    const { keyring, callers } = this.#file
    const now = this.#file.now()
    return recordOfEarly(call, callers.actorIfValid(call.caller, now), answer, { now, keyring })
  }

  /**
   * Records what was done to the vault as a whole past the door, such as a backup or a new key: by its owner, or by
   * the vault because it was time (rule O-05). On disk when this returns, unless the disk is what failed.
   */
  recordUpkeep(operation: `vault.${string}`, by: 'owner' | 'vault', error?: CofferError, ms = 0): void {
    if (this.#file.isClosed) return
    this.#log.add(upkeepRecord(operation, by, { now: this.#file.now(), error, ms }))
    this.flushLog()
  }

  /** Writes the log records and last uses that wait in memory; a failure keeps the records for the next time. */
  flushLog(): void {
    this.#log.flush()
  }
}

/** SECURITY: the key of the database is wiped whatever opening comes to. */
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
