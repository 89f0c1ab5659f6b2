import { CofferError } from '../../../shared/errors.ts'
import { formatCount } from '../../../shared/format-count.ts'
import type { Json } from '../../../shared/json.ts'
import type { Permission } from '../../../shared/permissions.ts'
import type { TenantSettings } from '../../../shared/settings.ts'
import type { EventType } from '../../../shared/webhook-events.ts'
import { decideAccess, describeGrant, type Grant, type Subject } from '../access/access.ts'
import type { Actor } from '../access/actor.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import type { Event } from '../events/event.ts'
import { getSubscribedWebhooks, hasSubscribers } from '../events/subscriptions.ts'
import { WorkBudget } from '../expressions/work-budget.ts'
import type { Decrypted, EngineCall } from './call.ts'
import type { CallAnnotations } from './call-record.ts'
import type { ClockGuard } from './clock-guard.ts'
import { createNotDecryptedError } from './encrypted.ts'
import { toEventActor } from './event-actor.ts'
import type { LogBuffer } from './log-buffer.ts'
import { addSeenValue } from './run-keys.ts'
import type { VaultFile } from './vault-file.ts'

/** What a handler keeps for `replay`. */
type ReplayData = { readonly value: unknown; readonly token_ids: readonly string[] }

/**
 * What a handler may use. Handlers run inside a transaction, with permission and input already checked. The methods
 * declare `this`, so that detaching one from its context does not compile.
 */
export class Context {
  readonly db: Database
  readonly keyring: Keyring
  readonly tenant_id: string
  readonly actor: Actor
  readonly settings: TenantSettings
  /** Epoch ms. Handlers read no other clock. */
  readonly now: number
  readonly trace_id: string
  /** Says whether the clock is so far ahead that nothing may be deleted by it (case X-45). */
  readonly clock: ClockGuard
  /** `sdk` if the request came with the SDKs' key header (rule A-02). */
  readonly dialect: 'own' | 'sdk'
  /** What the call's expressions may still do (rule R-03). */
  work = new WorkBudget()
  /** The address of the listener that the request came to; empty where it came in another way. */
  readonly base_url: string
  /** The vault lives in memory. */
  readonly ephemeral: boolean
  /** Which opening of the vault this is (rule F-05). */
  readonly opening: string
  /** The response headers so far. */
  readonly headers: Record<string, string> = {}
  /** The last argument of `keep`. */
  replayData: ReplayData | null = null
  readonly #file: VaultFile
  readonly #log: LogBuffer
  readonly #call: EngineCall
  readonly #annotations: CallAnnotations

  constructor(file: VaultFile, log: LogBuffer, call: EngineCall, actor: Actor, annotations: CallAnnotations) {
    this.db = file.db
    this.keyring = file.keyring
    this.tenant_id = file.tenant_id
    this.actor = actor
    this.settings = file.settings
    this.now = annotations.at
    const { info } = call
    this.trace_id = annotations.trace_id
    this.dialect = info.dialect ?? 'own'
    this.base_url = info.base_url ?? ''
    this.clock = file.clock
    this.ephemeral = file.ephemeral
    this.opening = file.opening
    this.#file = file
    this.#log = log
    this.#call = call
    this.#annotations = annotations
  }

  /**
   * Returns how the actor may do this to a token, and notes the decision for the log (rules P-04, P-05, P-10). Throws
   * `forbidden`.
   */
  requireAccess(this: Context, permission: Permission, subject: Subject, which: 'any' | 'all'): Grant {
    const grant = decideAccess(this.actor, permission, subject, which)
    this.#annotations.entity_id = subject.id
    if (!grant) {
      this.#annotations.denied = `${permission} is not granted on ${subject.containers.join(' ')}`
      throw new CofferError('forbidden', `${permission} is not granted on the containers of this token.`, {
        missing: { permissions: [permission], containers: subject.containers },
      })
    }
    this.#annotations.note = describeGrant(grant, permission)
    return grant
  }

  /**
   * The same context for what the application of a proxy or a reactor does with its own rights. Throws `not_found` if
   * the application is gone.
   */
  asApplication(this: Context, application_id: string): Context {
    const actor = this.#file.callers.requireActingApplication(application_id, this.now)
    const context = new Context(this.#file, this.#log, this.#call, actor, this.#annotations)
    context.work = this.work
    return context
  }

  /** Names the one entity the log record is about, with a note that outlives it (rule T-11). Never data. */
  setRecordEntity(this: Context, entity_id: string | null, note?: string): void {
    this.#annotations.entity_id = entity_id
    if (note !== undefined) this.#annotations.addNote(note)
  }

  /** The record of this call names its operation as a dry run, so that it is not taken for the real one. */
  markDryRun(this: Context): void {
    this.#annotations.isDryRun = true
  }

  /**
   * Notes the places of the tokens that this call creates, from the first to the last in the order of creation, so that
   * the log finds their creation without a row for each.
   */
  setCreatedTokens(this: Context, first: number, last: number): void {
    this.#annotations.created = [first, last]
  }

  /** Says that the record concerns an application beside its entity: it is in the history of both. */
  setConcernedApplication(this: Context, application_id: string): void {
    this.#annotations.entity_ids = [application_id]
  }

  /** Leaves out the record of this call if it succeeds, because a later one covers it. SECURITY: not if it shows data. */
  skipRecord(this: Context): void {
    this.#annotations.shouldSkipRecord = true
  }

  /**
   * The record of this call, if it succeeds, counts as no request, because another record of the same request does.
   * `what` says which part of the request it is, after the note.
   */
  excludeFromRequestCount(this: Context, reason: string): void {
    this.#annotations.isExcludedFromCount = true
    this.#annotations.addNote(reason)
  }

  /** Names every entity the log record is about. */
  setRecordEntities(this: Context, entity_ids: readonly string[]): void {
    const ids = [...new Set(entity_ids)]
    const isOne = ids.length <= 1
    this.#annotations.entity_id = isOne ? (ids[0] ?? null) : null
    this.#annotations.entity_ids = isOne ? [] : ids
    if (!isOne) this.#annotations.note = formatCount(ids.length, 'token')
  }

  /**
   * Keeps what `replay` needs to answer a repeated request (rule A-12), and the ids of the tokens it needs.
   * SECURITY: ids and positions, never a token's data, but for what code answered.
   */
  storeReplay(this: Context, value: unknown, token_ids: readonly string[] = []): void {
    this.replayData = { value, token_ids }
  }

  /** What a client has encrypted (rule C-02). Throws `invalid`, for whatever is wrong with it. */
  getDecrypted(this: Context, jwe: string): Decrypted {
    const value = this.#call.decrypted?.get(jwe)
    if (value === undefined) throw createNotDecryptedError()
    return value
  }

  /** Notes that the answer shows plaintext, so it must wait for its record (rule O-05, case X-44). */
  markPlaintextShown(this: Context): void {
    this.#annotations.showsPlaintext = true
  }

  /**
   * Tells webhooks, together with the record of this call, if one wants events of this type and the call succeeds (rules
   * W-01, W-02). `data` is called only then, and its result gets the actor. SECURITY: never a token's data (rule W-05).
   */
  queueEvent(this: Context, type: EventType, data: () => Event['data']): void {
    if (!hasSubscribers(this.db, type)) return
    const actor = toEventActor(this.actor, this.tenant_id)
    const to = getSubscribedWebhooks(this.db, type)
    this.#annotations.events.push({ type, data: { ...data(), ...(actor && { actor }) }, to })
  }

  /** Notes data that the caller has in clear, if the caller is code: what it prints is kept without it (rule F-04). */
  recordPlaintextRead(this: Context, data: Json): void {
    if (this.actor.kind === 'application' && this.actor.runGrant) addSeenValue(this.actor.runGrant, data)
  }

  /** Adds a response header. */
  setHeader(this: Context, name: string, value: string): void {
    this.headers[name] = value
  }

  /** Drops the caches of applications, keys, sessions and settings, after one of them changed. */
  invalidateCaches(this: Context): void {
    this.#file.invalidateCaches()
  }

  /** Writes the log records waiting in memory, up to some thousand, and what has only been counted so far. */
  flushLog(this: Context): void {
    this.#log.unknownCallers.recordRest()
    this.#log.flushChunks()
  }
}
