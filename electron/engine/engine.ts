import { type Client, createClientFrom } from '../../shared/client.ts'
import { CofferError } from '../../shared/errors.ts'
import type { TenantSettings } from '../../shared/settings.ts'
import { toCofferError } from './db/storage-error.ts'
import { EngineClock } from './engine-clock.ts'
import { Identification } from './identification.ts'
import { type EngineHandover, Lifecycle } from './lifecycle.ts'
import { createParts, openParts } from './open-parts.ts'
import { findOperation, type Operations } from './operations.ts'
import { Outcomes } from './outcomes.ts'
import type { EngineOptions, EngineParts } from './parts.ts'
import type { Caller, CallInfo, CallResult } from './pipeline/call.ts'
import type { EngineCall } from './pipeline/operation.ts'
import { TurnEnd } from './pipeline/turn-end.ts'
import { decryptJwes } from './resources/client-keys/decrypt.ts'
import { DocumentContent } from './resources/documents/content.ts'
import { findTenantId } from './resources/tenants/store.ts'
import type { Outbox } from './resources/webhooks/outbox.ts'
import type { Sweeper } from './sweep/sweeper.ts'

/** The service for one open vault file: opens and closes the file, and passes every call to the pipeline. */
export class Engine {
  readonly identification: Identification
  readonly outcomes: Outcomes
  readonly lifecycle: Lifecycle
  readonly clock: EngineClock
  readonly documents: DocumentContent
  /** Deletes expired data (rules T-14, T-15, K-03). */
  readonly sweeper: Sweeper
  /** The events and deliveries that are still to be sent to webhooks. */
  readonly outbox: Outbox
  readonly #parts: EngineParts
  readonly #turnEnd = new TurnEnd()
  #calls = 0

  private constructor(parts: EngineParts) {
    const { file, sweeper, outbox } = parts
    this.#parts = parts
    this.identification = new Identification(parts)
    this.outcomes = new Outcomes(parts)
    this.lifecycle = new Lifecycle(parts)
    this.clock = new EngineClock(parts, this.outcomes)
    this.documents = new DocumentContent(file, () => sweeper.requestSweep())
    this.sweeper = sweeper
    this.outbox = outbox
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
    return new Engine(createParts(file, master, vault, options))
  }

  /** Opens an existing vault file and runs its pending migrations. Throws a CofferError that states why it cannot. */
  static open(file: string, master: Buffer, options: EngineOptions = {}): Engine {
    return new Engine(openParts(file, master, options))
  }

  /**
   * Opens a vault file after another engine was closed for the handover, and runs the calls that the other engine had
   * queued. Throws like `open`.
   */
  static openFromHandover(file: string, master: Buffer, handover: EngineHandover): Engine {
    const engine = Engine.open(file, master, handover.options)
    engine.lifecycle.takeOver(handover)
    return engine
  }

  /** Finishes pending work, then closes the file. Every later call gets status 423. */
  close(): void {
    this.#parts.shutDown()
  }

  get tenant_id(): string {
    return this.#parts.file.tenant_id
  }

  /** Whether the file does not outlive the process. */
  get isEphemeral(): boolean {
    return this.#parts.file.ephemeral
  }

  /**
   * An id of this opening of the vault. It distinguishes what was started in this opening, such as reactor runs, from
   * what an earlier opening started. Throws `locked`.
   */
  get opening(): string {
    this.#parts.file.assertOpen()
    return this.#parts.file.opening
  }

  /** The tenant's current settings (rule R-02). Throws `locked`. */
  get settings(): TenantSettings {
    this.#parts.file.assertOpen()
    return this.#parts.file.settings
  }

  /** Whether exchanges are stored for the owner (rule G-07). False once the file is closed. */
  get keepsExchanges(): boolean {
    const { isClosed, settings, ephemeral } = this.#parts.file
    if (isClosed) return false
    return settings.keep_exchanges === 'always' || (settings.keep_exchanges === 'in_memory' && ephemeral)
  }

  /** Whether the console output of code is stored with its run, for the owner (rule F-04). */
  get keepsConsole(): boolean {
    return this.#parts.file.settings.keep_exchanges !== 'never'
  }

  /** How many operations have been called; work in batches uses it to detect other callers. */
  get calls(): number {
    return this.#calls
  }

  /** The engine's clock, in epoch ms. */
  now(): number {
    return this.#parts.file.now()
  }

  /**
   * Reads one row of the open file. Throws `locked`, `unavailable`, `damaged` or `internal` if that fails, and
   * `storage_full` while the log cannot be written.
   */
  assertResponsive(): void {
    const { file, log } = this.#parts
    file.assertOpen()
    file.assertPresent({ thoroughly: true })
    try {
      findTenantId(file.db)
    } catch (error) {
      throw file.toReadError(error)
    }
    log.assertWritable()
  }

  /** Returns a client for a caller in this process: `engine.as(owner).tokens.create(input)`. Rejects like `call`. */
  as(caller: Caller, info?: CallInfo): Client<Operations> {
    return createClientFrom<Operations>(
      async (name, input) => (await this.call(name, input, caller, info)).output,
    )
  }

  /**
   * Runs an operation for a caller. Reads run immediately. Over HTTP, their responses are sent at the end of the
   * turn; reads that show plaintext also wait until their records are written, and the records of one turn share one
   * write. Pending writes share one commit and are answered once it is on disk; a write that fails is rolled back on
   * its own. Rejects only with CofferErrors.
   */
  call(name: string, input: unknown, caller: Caller, info: CallInfo = {}): Promise<CallResult> {
    const { file } = this.#parts
    this.#calls++
    try {
      file.assertOpen()
      const operation = findOperation(name)
      if (!operation) throw new CofferError('not_found', 'There is no such operation.')
      const call: EngineCall = { operation, name, input, caller, info }
      const encrypted = operation.listEncrypted?.(input) ?? []
      return encrypted.length > 0 ? this.#runDecrypted(call, encrypted) : this.#runCall(call)
    } catch (error) {
      const failure = file.toReadError(error)
      file.reportIncident(failure, name, info.trace_id)
      return Promise.reject(failure)
    }
  }

  async #runDecrypted(call: EngineCall, encrypted: readonly string[]): Promise<CallResult> {
    const { file } = this.#parts
    // If a call contains more JWEs than the limit, it is rejected anyway, so not all of them are decrypted.
    const decrypted = await decryptJwes(file, encrypted.slice(0, file.settings.tokens_per_tokenize))
    file.assertOpen()
    return this.#runCall({ ...call, decrypted })
  }

  #runCall(call: EngineCall): Promise<CallResult> {
    return call.operation.effect === 'read' ? this.#runRead(call) : this.#queueWrite(call)
  }

  #runRead(call: EngineCall): Promise<CallResult> {
    const { pipeline, log } = this.#parts
    // Reads ignore idempotency keys, except reads whose later steps write.
    const scope = call.operation.replay
      ? this.identification.getIdempotencyScope(call.caller, call.info)
      : null
    const { outcome, record, showsPlaintext } = pipeline.run(call, scope)
    if (record) log.assertSpace()
    // SECURITY: a response with plaintext waits until its record is written.
    if (record && showsPlaintext && 'answer' in outcome) {
      return log.addBeforeResponse(record).then(() => outcome.answer)
    }
    if (record) log.add(record)
    if ('error' in outcome) return Promise.reject(outcome.error)
    const { answer } = outcome
    return call.info.http ? this.#turnEnd.wait().then(() => answer) : Promise.resolve(answer)
  }

  /** Queues a write for the next commit. If its idempotency key is rejected, the rejection is recorded. */
  #queueWrite(call: EngineCall): Promise<CallResult> {
    const { queue } = this.#parts
    let scope: Buffer | null
    try {
      scope = queue.reserveScope(call)
    } catch (error) {
      this.outcomes.recordEarlyEnd(call, toCofferError(error))
      throw error
    }
    return queue.runWrite(call, scope)
  }
}
