import { CofferError } from '../../../shared/errors.ts'
import { formatKeyHint } from '../../../shared/key-hint.ts'
import type { Actor, CardholderActor } from '../access/actor.ts'
import { computeKeyDigest } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import type { Caller, IdentifiedCaller } from './call.ts'
import { ElementUses } from './element-uses.ts'
import type { CallerElementUse, CallerKeyUse, ResourceHooks } from './resource-hooks.ts'
import { RunKeys } from './run-keys.ts'

/** The last uses by id, the hints to store for keys without one, and the pages whose elements used a key. */
export type LastUses = {
  readonly uses: ReadonlyMap<string, CallerKeyUse>
  readonly hints: ReadonlyMap<string, string>
  readonly elements: ReadonlyMap<string, CallerElementUse>
}

const MAX_CACHED_KEYS = 1000
/**
 * A last use is written only if the previous one is older than this, in ms. When a program makes many calls, this saves
 * writing one database page per commit.
 */
const LAST_USE_INTERVAL_MS = 1000
/** The maximum length of a key, generated or fixed. */
const MAX_KEY_LENGTH = 100

/** Turns callers into actors, and caches the actors of keys until `invalidateActors`. */
export class Callers {
  readonly #db: Database
  readonly #resources: ResourceHooks
  #byKey = new Map<string, Actor>()
  /** Replaced after every change, so that callers with an earlier epoch are looked up again. */
  #epoch = {}
  /** The keys of code that is running. */
  runKeys = new RunKeys()
  #lastUses = new Map<string, CallerKeyUse>()
  /** When the last use of each key and application was recorded, in epoch ms. */
  readonly #recordedAt = new Map<string, number>()
  /** The hints of keys that have been looked up. They are stored for keys that older versions created without one. */
  #hints = new Map<string, string>()
  readonly #elements = new ElementUses()

  constructor(db: Database, resources: ResourceHooks) {
    this.#db = db
    this.#resources = resources
  }

  /**
   * Looks up a key. The returned caller needs no other lookup until `invalidateActors` is called. Throws
   * `unauthenticated` (rule A-04).
   */
  identifyKey(key: string, now: number): IdentifiedCaller {
    const actor = this.requireActor({ kind: 'key', key }, now)
    return { kind: 'key', key, actor, epoch: this.#epoch }
  }

  /**
   * Returns the current actor of a caller. Throws `unauthenticated` for a key that is not valid (rules A-04,
   * K-03), `not_found` for an application that does not exist.
   */
  requireActor(caller: Caller, now: number): Actor {
    if (caller.kind === 'owner') return caller
    if (caller.kind === 'as') return this.#requireApplicationActor(caller.application_id, now)
    if (caller.kind === 'cardholder') return cardholder
    if (caller.kind === 'proxy') {
      const actor = this.#resources.findActorOfProxy(this.#db, caller.proxy_key)
      if (!actor) throw createUnauthenticatedError()
      return actor
    }
    if (this.runKeys.isRunKey(caller.key)) return this.#requireRunActor(caller.key, now)
    // SECURITY: an actor that was looked up before a change, or in another vault, is looked up again.
    const isCurrent = 'epoch' in caller && caller.epoch === this.#epoch
    const actor = isCurrent ? caller.actor : this.#findKeyActor(caller.key)
    if (!actor || isExpired(actor, now)) throw createUnauthenticatedError()
    this.#recordUse(actor, now)
    return actor
  }

  /** Returns the application of a proxy or reactor, and records the use. Throws `not_found` if it is gone. */
  requireActingApplication(application_id: string, now: number): Actor {
    const actor = this.#requireApplicationActor(application_id, now)
    this.#recordUse(actor, now)
    return actor
  }

  /** Records the use of a key or, without one in a session, run or proxy, of the caller's application. */
  #recordUse(actor: Actor, now: number): void {
    if (actor.kind !== 'application' && actor.kind !== 'session') return
    const application_id = actor.kind === 'session' ? actor.application_id : actor.id
    const key_id = actor.kind === 'session' ? null : actor.key_id
    const used = key_id ?? application_id
    const recorded = this.#recordedAt.get(used)
    if (recorded !== undefined && Math.abs(now - recorded) < LAST_USE_INTERVAL_MS) return
    if (this.#recordedAt.size >= MAX_CACHED_KEYS) this.#recordedAt.clear()
    this.#recordedAt.set(used, now)
    this.#lastUses.set(used, { key_id, application_id, at: now })
  }

  /** Like `requireActor`, but returns null instead of throwing. */
  findActor(caller: Caller, now: number): Actor | null {
    try {
      return this.requireActor(caller, now)
    } catch {
      // The call is rejected, and its record names no actor.
      return null
    }
  }

  #requireApplicationActor(id: string, now: number): Actor {
    const actor = this.#resources.findActorOfApplication(this.#db, id)
    if (!actor || isExpired(actor, now)) throw new CofferError('not_found', 'There is no such application.')
    return actor
  }

  /** SECURITY: looks up the key at every call, because it becomes invalid when the run ends, even in a request. */
  #requireRunActor(key: string, now: number): Actor {
    const runGrant = this.runKeys.findGrant(key)
    if (!runGrant) throw createUnauthenticatedError()
    const { subject, note: name } = runGrant
    if ('permissions' in subject) {
      const { runtime_id: id, permissions } = subject
      return { ...runtimeActor, id, name, permissions, runGrant }
    }
    const actor = this.#resources.findActorOfApplication(this.#db, subject.application_id)
    if (!actor || isExpired(actor, now)) throw createUnauthenticatedError()
    this.#recordUse(actor, now)
    return { ...actor, runGrant }
  }

  #findKeyActor(key: string): Actor | null {
    const cached = this.#byKey.get(key)
    if (cached) return cached
    if (key.length > MAX_KEY_LENGTH) return null
    const actor = this.#resources.findActorOfKey(this.#db, computeKeyDigest(key))
    if (!actor) return null
    if (this.#byKey.size >= MAX_CACHED_KEYS) this.#byKey.clear()
    this.#byKey.set(key, actor)
    if (actor.kind === 'application' && actor.key_id) this.#hints.set(actor.key_id, formatKeyHint(key))
    return actor
  }

  /** Drops the cached actors, so that every caller is looked up again. */
  invalidateActors(): void {
    this.#byKey = new Map()
    this.#epoch = {}
  }

  /** Records that a page's elements made a call. Returns whether the use must be written. */
  recordElementUse(caller: Caller, origin: string, now: number): boolean {
    const actor = 'actor' in caller ? caller.actor : null
    return actor !== null && this.#elements.recordUse(actor, origin, now)
  }

  /** Whether there are uses that have not been taken with `takeLastUses`. */
  get hasLastUses(): boolean {
    return this.#lastUses.size > 0 || this.#elements.pending.size > 0
  }

  /** Writes the last uses inside the caller's transaction. Call `takeLastUses` once the transaction is committed. */
  saveLastUses(): void {
    for (const use of this.#lastUses.values()) this.#resources.saveLastUse(this.#db, use)
    for (const [key_id, hint] of this.#hints) this.#resources.saveHint(this.#db, key_id, hint)
    for (const use of this.#elements.pending.values()) this.#resources.saveElementUse(this.#db, use)
  }

  /** Removes and returns the pending uses. Call this once they are on disk, or to let another engine write them. */
  takeLastUses(): LastUses {
    const taken = { uses: this.#lastUses, hints: this.#hints, elements: this.#elements.take() }
    this.#lastUses = new Map()
    this.#hints = new Map()
    return taken
  }

  /** Hands the keys of running code over to an engine that reopens the same file. */
  handOverRunKeys(): RunKeys {
    const { runKeys } = this
    this.runKeys = new RunKeys()
    return runKeys
  }

  /** Adopts the uses that another engine has not written. */
  takeOver({ uses, hints, elements }: LastUses): void {
    this.#lastUses = new Map(uses)
    this.#hints = new Map(hints)
    this.#elements.takeOver(elements)
  }
}

/** What code with the permissions of its runtime acts as. */
const runtimeActor = {
  kind: 'application',
  key_id: null,
  type: 'private',
  rules: [],
  expires_at: null,
} as const
const cardholder: CardholderActor = { kind: 'cardholder', permissions: [], rules: [], expires_at: null }

/** Whether an actor, or the authorizer of a session, has expired (rules K-03, O-04). */
function isExpired(actor: Actor, now: number): boolean {
  if (actor.kind === 'owner') return false
  if (actor.expires_at !== null && actor.expires_at <= now) return true
  return actor.kind === 'session' && actor.authorizer !== null && isExpired(actor.authorizer, now)
}

function createUnauthenticatedError(): CofferError {
  return new CofferError(
    'unauthenticated',
    'The key is missing, unknown, deleted or expired. Send a valid key in the SVC-API-KEY header.',
  )
}
