import { CofferError } from '../../../shared/errors.ts'
import { formatCount } from '../../../shared/format-count.ts'
import type { Json } from '../../../shared/json.ts'
import type { Permission } from '../../../shared/permissions.ts'
import type { TenantSettings } from '../../../shared/settings.ts'
import type { EventType } from '../../../shared/webhook-events.ts'
import type { z } from '../../../shared/zod.ts'
import { decideAccess, describeGrant, type Grant, type Subject } from '../access/access.ts'
import type { Actor } from '../access/actor.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import type { Event } from '../events/event.ts'
import { getSubscribedWebhooks, hasSubscribers } from '../events/subscriptions.ts'
import { WorkBudget } from '../expressions/work-budget.ts'
import type { Decrypted, ReceivedCall } from './call.ts'
import { CallAnnotations } from './call-annotations.ts'
import type { ClockGuard } from './clock-guard.ts'
import { createNotDecryptedError } from './encrypted.ts'
import { toEventActor } from './event-actor.ts'
import type { LogBuffer } from './log-buffer.ts'
import { parseThoroughly } from './parse-thoroughly.ts'
import { addSeenValue } from './run-keys.ts'
import type { VaultFile } from './vault-file.ts'

/** What a handler stores for `replay`. */
type ReplayData = { readonly value: unknown; readonly token_ids: readonly string[] }

/**
 * Everything a handler may use. Handlers run inside a transaction, with permission and input already checked.
 * The methods declare `this`, so that detaching one from its context does not compile.
 */
export class Context {
  readonly db: Database
  readonly keyring: Keyring
  readonly tenant_id: string
  readonly actor: Actor
  readonly settings: TenantSettings
  /** The time of the call, in epoch ms. Handlers must not read another clock. */
  readonly now: number
  readonly trace_id: string
  /** Tells whether the clock is so far ahead that nothing may be deleted because of its age (case X-45). */
  readonly clock: ClockGuard
  /** `sdk` if the request used the SDKs' key header (rule A-02). */
  readonly dialect: 'own' | 'sdk'
  /** The work that the expressions of this call may still use (rule R-03). */
  work = new WorkBudget()
  /** The base URL of the listener that received the request; empty for a call that did not come through a listener. */
  readonly base_url: string
  /** Whether this is an in-memory vault. */
  readonly ephemeral: boolean
  /** Identifies this opening of the vault (rule F-05). */
  readonly opening: string
  /** The response headers so far. */
  readonly headers: Record<string, string> = {}
  /** The arguments of the last call of `storeReplay`; null if there was none. */
  replayData: ReplayData | null = null
  readonly #file: VaultFile
  readonly #log: LogBuffer
  readonly #call: ReceivedCall
  readonly #annotations: CallAnnotations

  constructor(
    file: VaultFile,
    log: LogBuffer,
    call: ReceivedCall,
    actor: Actor,
    annotations: CallAnnotations,
  ) {
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
   * Returns the grant that allows the actor this action on a token, and records the decision for the log (rules
   * P-04, P-05, P-10). Throws `forbidden`.
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
   * Returns a context for the same call with the rights of the application that a proxy or a reactor acts for.
   * Throws `not_found` if the application no longer exists.
   */
  asApplication(this: Context, application_id: string): Context {
    const actor = this.#file.callers.requireActingApplication(application_id, this.now)
    const context = new Context(this.#file, this.#log, this.#call, actor, this.#annotations)
    context.work = this.work
    return context
  }

  /** Returns the permissions of which an operation needs one; empty if every key may call it. */
  getRequiredPermissions(this: Context, operation: string): readonly Permission[] {
    return this.#file.getRequiredPermissions(operation)
  }

  /** Returns the packages that code may require, with their versions (rule F-03). */
  getPackages(this: Context): ReadonlyMap<string, string> {
    return this.#file.packages()
  }

  /**
   * Sets the entity that the log record is about, and a note that remains when the entity is deleted (rule T-11). The
   * note must not contain data.
   */
  setRecordEntity(this: Context, entity_id: string | null, note?: string): void {
    this.#annotations.entity_id = entity_id
    if (note !== undefined) this.#annotations.addNote(note)
  }

  /** Marks the operation in the record of this call as a dry run. */
  markDryRun(this: Context): void {
    this.#annotations.isDryRun = true
  }

  /**
   * Records the positions, in the order of creation, of the first and the last token that this call creates. With them,
   * the record can be found for each of these tokens without storing a row per token.
   */
  setCreatedTokens(this: Context, first: number, last: number): void {
    this.#annotations.created = [first, last]
  }

  /** Adds other entities to the record, so that their history includes the record as that of the main entity does. */
  setConcernedEntities(this: Context, ...entity_ids: string[]): void {
    this.#annotations.entity_ids = entity_ids
  }

  /**
   * Stores no record of this call if it succeeds, because a later record covers it. SECURITY: a call that shows
   * data is recorded nevertheless.
   */
  skipRecord(this: Context): void {
    this.#annotations.shouldSkipRecord = true
  }

  /**
   * Excludes a successful call from the count of requests, because another record counts the same request. `reason`
   * is added to the note, and says which part of the request this call was.
   */
  excludeFromRequestCount(this: Context, reason: string): void {
    this.#annotations.isExcludedFromCount = true
    this.#annotations.addNote(reason)
  }

  /** Sets the tokens that the log record is about and, if there are several, a note with their number. */
  setRecordEntities(this: Context, entity_ids: readonly string[]): void {
    const ids = [...new Set(entity_ids)]
    const isOne = ids.length <= 1
    this.#annotations.entity_id = isOne ? (ids[0] ?? null) : null
    this.#annotations.entity_ids = isOne ? [] : ids
    if (!isOne) this.#annotations.note = formatCount(ids.length, 'token')
  }

  /**
   * Stores what `replay` needs to answer a repeated request (rule A-12): a value, and the ids of the tokens in it.
   * SECURITY: pass only ids and positions, never a token's data, except in the response of code.
   */
  storeReplay(this: Context, value: unknown, token_ids: readonly string[] = []): void {
    this.replayData = { value, token_ids }
  }

  /**
   * Parses a part of the request, whose path is `under`. Its unknown members are ignored or rejected like those of the
   * request (rule A-08). If members are faulty, also runs `handle`, with the sound ones, for what it would reject next.
   * Throws one `invalid` error with everything that is wrong (rule A-05). SECURITY: nothing else of that run is used: it
   * has its own annotations, and the call fails, so that what it writes is rolled back.
   */
  parsePart<T extends z.ZodType>(
    this: Context,
    { schema, part, under = '' }: { readonly schema: T; readonly part: unknown; readonly under?: string },
    handle: (trial: Context, sound: z.output<T>) => unknown,
  ): z.output<T> {
    const { info } = this.#call
    const tryRest = (sound: z.output<T>) => {
      const annotations = new CallAnnotations(
        { operation: { route: null }, input: undefined, info },
        this.now,
      )
      return handle(new Context(this.#file, this.#log, this.#call, this.actor, annotations), sound)
    }
    return parseThoroughly(schema, part, tryRest, info.ignored && { ignored: info.ignored, under })
  }

  /** Returns the decrypted content of a JWE (rule C-02). Throws `invalid` with the same message for every cause. */
  getDecrypted(this: Context, jwe: string): Decrypted {
    const value = this.#call.decrypted?.get(jwe)
    if (value === undefined) throw createNotDecryptedError()
    return value
  }

  /** Records that the response shows plaintext, so that its log record is stored first (rule O-05, case X-44). */
  markPlaintextShown(this: Context): void {
    this.#annotations.showsPlaintext = true
  }

  /**
   * Queues an event for the webhooks that subscribe to its type. The event is committed with the record of this
   * call, and only if the call succeeds (rules W-01, W-02). `data` is called only if there is a webhook; the actor
   * is added to its result. SECURITY: never a token's data (rule W-05).
   */
  queueEvent(this: Context, type: EventType, data: () => Event['data']): void {
    if (!hasSubscribers(this.db, type)) return
    const actor = toEventActor(this.actor, this.tenant_id)
    const to = getSubscribedWebhooks(this.db, type)
    this.#annotations.events.push({ type, data: { ...data(), ...(actor && { actor }) }, to })
  }

  /**
   * Records plaintext that running code has read, so that it is redacted in what the code prints (rule F-04).
   * Does nothing for other callers.
   */
  recordPlaintextRead(this: Context, data: Json): void {
    if (this.actor.kind === 'application' && this.actor.runGrant) addSeenValue(this.actor.runGrant, data)
  }

  setHeader(this: Context, name: string, value: string): void {
    this.headers[name] = value
  }

  /** Drops the caches of applications, keys, sessions and settings, after one of them changed. */
  invalidateCaches(this: Context): void {
    this.#file.invalidateCaches()
  }

  /** Writes up to a few thousand pending log records, and one for all rejected requests without records. */
  flushLog(this: Context): void {
    this.#log.unknownCallers.recordRest()
    this.#log.flushChunks()
  }
}
