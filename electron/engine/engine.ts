import { randomUUID } from 'node:crypto'
import { CofferError } from '../../shared/errors.ts'
import type { Incident } from '../../shared/schemas/incident.ts'
import type { Settings } from '../../shared/settings.ts'
import { decide, explain, holds } from './access/access.ts'
import { forgetBins } from './cards/store.ts'
import { createKeys, databaseKey, Keyring } from './crypto/keyring.ts'
import { type RotateOptions, rotateDataKey } from './crypto/rotate-data-key.ts'
import { migrate } from './db/migrate.ts'
import { migrations } from './db/migrations.ts'
import { type Database, endWriteAheadLog, openDatabase } from './db/open.ts'
import { toCofferError } from './db/storage-error.ts'
import { type Actor, actorId, type Caller } from './door/actor.ts'
import type { Answer } from './door/answer.ts'
import { Callers } from './door/callers.ts'
import type { Context } from './door/context.ts'
import { findKeptCall, idempotencyScope, type KeptCall, saveKeptCall } from './door/idempotency.ts'
import type { Operation } from './door/operation.ts'
import { insertLog, type LogRecord, type WrittenLogRecord } from './door/records.ts'
import { parsed } from './door/validation.ts'
import { forgetTemplates } from './expressions/template.ts'
import { detailOf, entityInPath, keyHintOf, pathIdsOf, requestOf } from './logs/detail.ts'
import { indexBlock, lastIndexed } from './logs/index-records.ts'
import { Indexer } from './logs/indexer.ts'
import { BLOCK } from './logs/places.ts'
import { operationNamed } from './operations.ts'
import { sweepBatch } from './sweep/sweep-batch.ts'
import { Sweeper } from './sweep/sweeper.ts'
import { createTenant, findTenantId, readSettings } from './tenants/store.ts'

/** How a call came in: trace id, dialect, and the idempotency key with what scopes it (rules ). */
export type CallInfo = {
  readonly trace_id?: string | undefined
  readonly dialect?: 'own' | 'sdk' | undefined
  readonly idempotency?: { readonly key: string; readonly method: string; readonly path: string } | undefined
  /** What else the log should say of the call. Never data. */
  readonly note?: string | undefined
}

/** Why a call was answered before it came to the door, where no error of ours says so. */
export type Kept = { readonly status: number; readonly note: string }

export type EngineOptions = {
  /** The clock, in epoch ms. */
  readonly now?: () => number
  /** Called before migrations run on a file that holds data, to back it up. */
  readonly beforeMigrating?: (db: Database, from: number, to: number) => void
  /** Told of log records once they are on disk. Must not throw, and must not call back at once. */
  readonly onLog?: (records: readonly WrittenLogRecord[]) => void
  /** Told of what failed inside, such as an error in a handler. Must not throw. */
  readonly onIncident?: (incident: Incident) => void
  /** The file goes when the process does: nothing is worth waiting for the disk, and keys may be fixed. */
  readonly ephemeral?: boolean
}

type Pending = {
  readonly operation: Operation
  readonly name: string
  readonly input: unknown
  readonly caller: Caller
  readonly info: CallInfo
  readonly scope: Buffer | null
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: CofferError) => void
}

/** What waits for an engine's successor. */
export type Waiting = {
  readonly options: EngineOptions
  readonly isSweeping: boolean
  readonly queue: readonly Pending[]
  readonly records: readonly LogRecord[]
}

type Outcome = { readonly answer: Answer } | { readonly error: CofferError }

/** Records of reads wait this long for company before they are written. */
const LOG_DELAY_MS = 200
/** So many are written at once without waiting, so that nobody waits long for it. */
const LOG_BATCH = 200
/** At most this many waiting writes share one commit, so that the first of them does not wait long. */
const BATCH = 256

/** The service over one open vault file. `call` is the one door: permission, parsing, transaction, audit. */
export class Engine {
  readonly tenant_id: string
  readonly #db: Database
  readonly #keyring: Keyring
  readonly #now: () => number
  readonly #callers: Callers
  readonly #onLog: NonNullable<EngineOptions['onLog']>
  readonly #ephemeral: boolean
  readonly #inFlight = new Set<string>()
  readonly #options: EngineOptions
  readonly #sweeper = new Sweeper(() => this.#sweepBatch())
  readonly #indexer = new Indexer(() => this.#indexBlock())
  #queue: Pending[] = []
  #records: LogRecord[] = []
  #flushing: NodeJS.Immediate | null = null
  #settings: Settings | null = null
  #logTimer: NodeJS.Timeout | null = null
  /** The last record that can be searched by index. */
  #indexed: number
  #closed = false
  #held = false

  private constructor(db: Database, master: Buffer, tenant_id: string, options: EngineOptions) {
    this.#db = db
    this.tenant_id = tenant_id
    this.#options = options
    this.#keyring = new Keyring(db, master, tenant_id)
    this.#now = options.now ?? Date.now
    this.#callers = new Callers(db)
    this.#onLog = options.onLog ?? (() => {})
    this.#ephemeral = options.ephemeral ?? false
    this.#indexed = lastIndexed(db)
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

  /** Opens a vault file in place of the one that an engine left, and goes on with what waited for it. */
  static succeed(file: string, master: Buffer, { options, isSweeping, queue, records }: Waiting): Engine {
    const engine = Engine.open(file, master, options)
    for (const { scope } of queue) if (scope) engine.#inFlight.add(scope.toString('base64'))
    engine.#queue = [...queue]
    engine.#records = [...records]
    if (isSweeping) engine.startSweeping()
    engine.release()
    return engine
  }

  /** Lets writes wait, and reads go on, until `release` or `leave`. What was waiting is written first. */
  hold(): void {
    this.#assertOpen()
    while (this.#queue.length > 0) this.#commitBatch()
    this.flushLog()
    this.#held = true
  }

  /** Goes on with what waits. */
  release(): void {
    this.#held = false
    if (this.#closed) return
    if (this.#queue.length > 0) this.#schedule()
    this.flushLog()
    this.#indexer.wake()
  }

  /**
   * Closes the file without a write-ahead log beside it, and gives what waits to a successor. Throws `conflict` where
   * another process reads the file; then nothing changed.
   */
  leave(): Waiting {
    this.#assertOpen()
    endWriteAheadLog(this.#db)
    const { isStarted } = this.#sweeper
    const waiting: Waiting = {
      options: this.#options,
      isSweeping: isStarted,
      queue: this.#queue,
      records: this.#records,
    }
    this.#queue = []
    this.#records = []
    this.#held = false
    this.close()
    return waiting
  }

  /** Finishes what waits, then closes the file. The engine answers 423 from then on. */
  close(): void {
    if (this.#closed) return
    this.#sweeper.stop()
    this.#indexer.stop()
    while (this.#queue.length > 0) this.#commitBatch()
    this.flushLog()
    this.#closed = true
    if (this.#flushing) clearImmediate(this.#flushing)
    if (this.#logTimer) clearTimeout(this.#logTimer)
    this.#db.close()
    // SECURITY: the keys of callers stay in no map, whoever still holds this engine; compiled expressions may hold keys
    // that a caller wrote into them (case X-35).
    this.#callers.forget()
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

  #sweepBatch(): boolean {
    if (this.#held) return false
    const sweep = {
      db: this.#db,
      keyring: this.#keyring,
      settings: this.#settingsNow(),
      now: this.#now(),
      trace_id: randomUUID(),
    }
    const { written, more } = this.#db
      .transaction(() => {
        const { records, more } = sweepBatch(sweep)
        return { written: insertLog(this.#db, this.#keyring, records), more }
      })
      .immediate()
    this.#callers.forget()
    if (written.length > 0) this.#tell(written)
    return more
  }

  /** What was recorded is on disk. */
  #tell(written: readonly WrittenLogRecord[]): void {
    const last = written.at(-1)
    if (last && last.seq - this.#indexed >= BLOCK) this.#indexer.wake()
    this.#onLog(written)
  }

  #indexBlock(): boolean {
    if (this.#closed || this.#held || this.#db.inTransaction) return false
    try {
      return this.#db
        .transaction(() => {
          const more = indexBlock(this.#db, this.#keyring)
          this.#indexed = lastIndexed(this.#db)
          return more
        })
        .immediate()
    } catch {
      // A search reads what is not indexed, and the next record tries again.
      return false
    }
  }

  /** Whether the data key was changed and some values are still sealed under an old one. */
  get isRotating(): boolean {
    return this.#keyring.dataKeys > 1
  }

  /**
   * Seals every value anew under a new data key and removes the old one, in small batches between which others are
   * answered; resumes a change that was stopped. Rejects with `cancelled` when `signal` stops it, `locked`,
   * `storage_full`, `unavailable`; until it is finished the old key stays beside the new one.
   */
  async rotateDataKey(master: Buffer, options: RotateOptions = {}): Promise<void> {
    const assertOpen = () => this.#assertOpen()
    const vault = { db: this.#db, keyring: this.#keyring, master, now: this.#now(), assertOpen }
    try {
      await rotateDataKey(vault, options)
    } catch (error) {
      throw toCofferError(error)
    }
  }

  /** The tenant's settings as they are at this moment (rule R-02). */
  get settings(): Settings {
    this.#assertOpen()
    return this.#settingsNow()
  }

  /** The engine's clock, in epoch ms. */
  now(): number {
    return this.#now()
  }

  /** Who a key stands for; throws 401 (rule A-04). Lets a listener refuse before it reads a body. */
  identify(key: string): Actor {
    this.#assertOpen()
    return this.#callers.actorOf({ kind: 'key', key }, this.#now())
  }

  /**
   * Runs an operation for a caller. Reads run at once; writes that wait at the same time share one commit,
   * each in its savepoint, and are answered after it is on disk. Rejects with CofferErrors only.
   */
  call(name: string, input: unknown, caller: Caller, info: CallInfo = {}): Promise<Answer> {
    try {
      this.#assertOpen()
      const operation = operationNamed(name)
      if (!operation) throw new CofferError('not_found', 'There is no such operation.')
      // A read is answered as often as it is asked, whatever its idempotency key.
      if (operation.effect === 'read') {
        const { outcome, record } = this.#execute({ operation, name, input, caller, info, scope: null })
        if (record) this.#remember(record)
        return 'error' in outcome ? Promise.reject(outcome.error) : Promise.resolve(outcome.answer)
      }
      const scope = this.#admit(name, input, caller, info)
      return new Promise((resolve, reject) => {
        this.#queue.push({ operation, name, input, caller, info, scope, resolve, reject })
        this.#schedule()
      })
    } catch (error) {
      return Promise.reject(toCofferError(error))
    }
  }

  /**
   * Records an operation that was refused before it came here: no valid key, a body that cannot be read, a fault
   * (rules A-04, O-05).
   */
  refuse(
    name: string,
    caller: Caller,
    error: CofferError | Kept,
    info: CallInfo = {},
    input: unknown = {},
  ): void {
    const operation = operationNamed(name)
    if (!operation || this.#closed) return
    const now = this.#now()
    const actor = this.#actorIfValid(caller, now)
    const ids = pathIdsOf(operation, input)
    this.#remember({
      at: now,
      actor_type: actor?.kind ?? 'unknown',
      actor_id: actor && actorId(actor),
      operation: name,
      entity_type: operation.entity,
      entity_id: entityInPath(operation, ids),
      entity_ids: [],
      status: error.status,
      note: error instanceof CofferError ? noteOf(error) : error.note,
      trace_id: info.trace_id ?? randomUUID(),
      duration_us: 0,
      request: requestOf(operation, ids, this.#keyring),
      key_hint: keyHintOf(caller),
      detail: error instanceof CofferError ? detailOf(error) : null,
    })
  }

  /**
   * Records what was done to the vault as a whole past the door, such as a backup or a new key: by its owner, or by
   * itself because it was time (rule O-05). On disk when this returns, unless the disk is what failed.
   */
  recordUpkeep(operation: `vault.${string}`, by: 'owner' | 'vault', error?: CofferError, ms = 0): void {
    if (this.#closed) return
    this.#remember({
      at: this.#now(),
      actor_type: by,
      actor_id: null,
      operation,
      entity_type: 'vault',
      entity_id: null,
      entity_ids: [],
      status: error?.status ?? 200,
      // SECURITY: the code alone: the sentence may name a file of the owner's, and applications read the log.
      note: error?.code ?? null,
      trace_id: randomUUID(),
      duration_us: Math.round(ms * 1000),
    })
    this.flushLog()
  }

  #actorIfValid(caller: Caller, now: number): Actor | null {
    try {
      return this.#callers.actorOf(caller, now)
    } catch {
      return null
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw new CofferError('locked', 'The vault is locked. Unlock it and try again.')
  }

  /** Drops what is kept of callers and settings, because it changed or may have been undone. */
  #forget(): void {
    this.#callers.forget()
    forgetBins(this.#db)
    this.#settings = null
  }

  #settingsNow(): Settings {
    this.#settings ??= readSettings(this.#db)
    return this.#settings
  }

  /** The scope of an idempotency key, now in flight; a refusal is recorded. */
  #admit(name: string, input: unknown, caller: Caller, info: CallInfo): Buffer | null {
    try {
      return info.idempotency ? this.#scopeOf(caller, info.idempotency) : null
    } catch (error) {
      this.refuse(name, caller, toCofferError(error), info, input)
      throw error
    }
  }

  #scopeOf(caller: Caller, idempotency: NonNullable<CallInfo['idempotency']>): Buffer {
    const id = actorId(this.#callers.actorOf(caller, this.#now())) ?? 'owner'
    const scope = idempotencyScope(id, idempotency)
    const name = scope.toString('base64')
    if (this.#inFlight.has(name)) {
      throw new CofferError('in_flight', 'A request with this idempotency key is still being answered.')
    }
    this.#inFlight.add(name)
    return scope
  }

  #commitBatch(): void {
    const batch = this.#queue.splice(0, BATCH)
    const outcomes: Outcome[] = []
    const waiting = this.#records
    let written: readonly WrittenLogRecord[] = []
    try {
      this.#db.exec('BEGIN IMMEDIATE')
      const records: LogRecord[] = []
      for (const pending of batch) {
        const { outcome, record } = this.#runWrite(pending)
        outcomes.push(outcome)
        if (record) records.push(record)
      }
      this.#records = []
      this.#callers.saveLastUses()
      written = insertLog(this.#db, this.#keyring, waiting.concat(records))
      this.#db.exec('COMMIT')
    } catch (error) {
      written = []
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK')
      this.#records = waiting
      this.#forget()
      const failure = toCofferError(error)
      outcomes.length = 0
      for (const _ of batch) outcomes.push({ error: failure })
    }
    for (const [index, pending] of batch.entries()) {
      if (pending.scope) this.#inFlight.delete(pending.scope.toString('base64'))
      const outcome = outcomes[index] as Outcome
      if ('error' in outcome) pending.reject(outcome.error)
      else pending.resolve(outcome.answer)
    }
    if (written.length > 0) this.#tell(written)
    if (this.#queue.length > 0 && !this.#closed) this.#schedule()
  }

  #schedule(): void {
    if (this.#held) return
    this.#flushing ??= setImmediate(() => {
      this.#flushing = null
      if (!this.#held && this.#queue.length > 0) this.#commitBatch()
    })
  }

  /** One write in its savepoint: a failure undoes it alone. Throws when SQLite gave up the whole transaction. */
  #runWrite(pending: Pending): { outcome: Outcome; record: LogRecord | null } {
    this.#db.exec('SAVEPOINT call')
    const result = this.#execute(pending)
    if ('error' in result.outcome) {
      if (!this.#db.inTransaction) throw result.outcome.error
      this.#db.exec('ROLLBACK TO call')
      this.#forget()
    }
    this.#db.exec('RELEASE call')
    return result
  }

  /** Permission, parsing, handler, output: the same steps for every operation. */
  #execute({ operation, name, input, caller, info, scope }: Omit<Pending, 'resolve' | 'reject'>): {
    outcome: Outcome
    record: LogRecord | null
  } {
    const started = performance.now()
    const now = this.#now()
    const trace_id = info.trace_id ?? randomUUID()
    const headers: Record<string, string> = {}
    const ids = pathIdsOf(operation, input)
    let actor: Actor | null = null
    let entity_id = entityInPath(operation, ids)
    let entity_ids: readonly string[] = []
    let note: string | null = null
    let kept: { readonly value: unknown; readonly token_ids: readonly string[] } | null = null
    let outcome: Outcome
    try {
      actor = this.#callers.actorOf(caller, now)
      authorize(actor, operation)
      const known = actor
      const run = (before: KeptCall | null): Answer => {
        const context: Context = {
          db: this.#db,
          keyring: this.#keyring,
          tenant_id: this.tenant_id,
          actor: known,
          settings: this.#settingsNow(),
          now,
          trace_id,
          dialect: info.dialect ?? 'own',
          ephemeral: this.#ephemeral,
          require(permission, subject, which) {
            const grant = decide(known, permission, subject, which)
            entity_id = subject.id
            if (!grant) {
              note = `${permission} is not granted on ${subject.containers.join(' ')}`
              throw new CofferError(
                'forbidden',
                `${permission} is not granted on the containers of this token.`,
                { missing: { permissions: [permission], containers: subject.containers } },
              )
            }
            note = explain(grant, permission)
            return grant
          },
          about(id, text) {
            entity_id = id
            if (text !== undefined) note = note ? `${note}; ${text}` : text
          },
          aboutAll(ids) {
            entity_ids = [...new Set(ids)]
            const [only = null] = entity_ids
            entity_id = entity_ids.length > 1 ? null : only
            if (entity_ids.length > 1) note = `${entity_ids.length} tokens`
            else entity_ids = []
          },
          keep(value, token_ids = []) {
            kept = { value, token_ids }
          },
          header(header, value) {
            headers[header] = value
          },
          forget: () => this.#forget(),
          flushLog: () => this.flushLog(),
        }
        if (before && operation.replay) {
          const output = operation.output.parse(operation.replay(context, before.kept))
          note = [note, 'answered again, for its idempotency key'].filter((text) => text !== null).join('; ')
          return { status: operation.status, output, headers: before.headers }
        }
        const output = operation.output.parse(operation.handler(context, parsed(operation.input, input)))
        if (operation.location) headers.Location = operation.location(output)
        if (scope && kept) {
          const call = { kept: kept.value, headers }
          saveKeptCall(this.#db, this.#keyring, scope, call, { now, token_ids: kept.token_ids })
        }
        return { status: operation.status, output, headers }
      }
      // SECURITY: a repeated request is for a caller who is still valid and may still ask, as any other.
      outcome = { answer: run(scope && findKeptCall(this.#db, this.#keyring, scope, now)) }
    } catch (error) {
      outcome = { error: toCofferError(error) }
      note ??= noteOf(outcome.error)
    }
    // The owner's own reading is not news; everything else is. SECURITY: an application's eyes may see plaintext, so
    // that looking through them is recorded, as done by the owner.
    if (caller.kind === 'owner' && operation.effect === 'read') return { outcome, record: null }
    const refusal = 'error' in outcome ? detailOf(outcome.error) : null
    const looked_as = caller.kind === 'as' ? caller.application_id : undefined
    const notes = [info.note, looked_as && `the owner looked as application ${looked_as}`, note]
    const record: LogRecord = {
      at: now,
      actor_type: caller.kind === 'key' ? (actor?.kind ?? 'unknown') : 'owner',
      actor_id: caller.kind === 'key' && actor ? actorId(actor) : null,
      operation: name,
      entity_type: operation.entity,
      entity_id,
      entity_ids,
      status: 'error' in outcome ? outcome.error.status : outcome.answer.status,
      note: notes.filter(Boolean).join('; ') || null,
      trace_id,
      duration_us: Math.round((performance.now() - started) * 1000),
      request: caller.kind === 'key' ? requestOf(operation, ids, this.#keyring) : null,
      key_hint: keyHintOf(caller),
      detail: looked_as ? { ...refusal, looked_as } : refusal,
    }
    return { outcome, record }
  }

  #remember(record: LogRecord): void {
    this.#records.push(record)
    if (this.#records.length % LOG_BATCH === 0) this.flushLog()
    else this.#logTimer ??= setTimeout(() => this.flushLog(), LOG_DELAY_MS)
  }

  /** Writes the log records and last uses that wait in memory; a failure keeps the records for the next time. */
  flushLog(): void {
    if (this.#logTimer) clearTimeout(this.#logTimer)
    this.#logTimer = null
    if (this.#closed || this.#held || this.#db.inTransaction) return
    if (this.#records.length === 0 && !this.#callers.hasLastUses) return
    const records = this.#records
    this.#records = []
    let written: WrittenLogRecord[]
    try {
      written = this.#db.transaction(() => {
        this.#callers.saveLastUses()
        return insertLog(this.#db, this.#keyring, records)
      })()
    } catch {
      this.#records = records.concat(this.#records)
      return
    }
    if (written.length > 0) this.#tell(written)
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

/** Why, for the log: the members that were refused by name, or the sentence the caller was told. */
function noteOf(error: CofferError): string | null {
  if (error.errors) return Object.keys(error.errors).slice(0, 5).join(', ')
  return error.status < 500 ? error.message : null
}

function authorize(actor: Actor, { permission }: Operation): void {
  if (actor.kind === 'owner' || permission === 'any-key') return
  if (permission === 'owner') throw new CofferError('forbidden', 'Only the owner of the vault may do this.')
  const wanted = typeof permission === 'string' ? [permission] : permission
  if (!wanted.some((each) => holds(actor, each))) {
    throw new CofferError('forbidden', `This needs the permission ${wanted.join(' or ')}.`, {
      missing: { permissions: wanted },
    })
  }
}
