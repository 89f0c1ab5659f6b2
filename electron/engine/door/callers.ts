import { CofferError } from '../../../shared/errors.ts'
import { hintOf } from '../../../shared/key-hint.ts'
import type { Actor, CardholderActor } from '../access/actor.ts'
import { keyDigest } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import type { Caller, IdentifiedCaller } from './call.ts'
import { ElementUses } from './element-uses.ts'
import { LentKeys } from './lent-keys.ts'
import type { ElementUse, KeyUse, Resources } from './resources.ts'

/** Uses of keys and of applications by their ids, hints of keys that have none yet, and the pages whose elements used them. */
export type LastUses = {
  readonly uses: ReadonlyMap<string, KeyUse>
  readonly hints: ReadonlyMap<string, string>
  readonly elements: ReadonlyMap<string, ElementUse>
}

const MOST_KEYS = 1000
/** How much later a key must be used again for that to be written: a page less in the commits of a busy program. */
const LAST_USE_MS = 1000
/** No key is longer, whether Coffer generated it or it was fixed. */
const LONGEST_KEY = 100

/** Turns callers into actors, and caches the actors of keys until `forget`. */
export class Callers {
  readonly #db: Database
  readonly #resources: Resources
  #byKey = new Map<string, Actor>()
  /** Replaced after every change, so that actors found before it are looked up again. */
  #epoch = {}
  /** The keys of code that runs. */
  lent = new LentKeys()
  #lastUses = new Map<string, KeyUse>()
  /** When a use was last noted, of keys and applications. */
  readonly #notedAt = new Map<string, number>()
  /** The hints of the keys looked up, for keys created before hints were stored. */
  #hints = new Map<string, string>()
  readonly #elements = new ElementUses()

  constructor(db: Database, resources: Resources) {
    this.#db = db
    this.#resources = resources
  }

  /** Looks a key up. The caller it returns is looked up again only after a change. Throws 401 (rule A-04). */
  identify(key: string, now: number): IdentifiedCaller {
    const actor = this.actorOf({ kind: 'key', key }, now)
    return { kind: 'key', key, actor, epoch: this.#epoch }
  }

  /**
   * Returns the actor that a caller is now. Throws `unauthenticated` for a key that is not valid (rules A-04, K-03),
   * `not_found` for an application that does not exist.
   */
  actorOf(caller: Caller, now: number): Actor {
    if (caller.kind === 'owner') return caller
    if (caller.kind === 'as') return this.#application(caller.application_id, now)
    if (caller.kind === 'cardholder') return cardholder
    if (caller.kind === 'proxy') {
      const actor = this.#resources.findActorOfProxy(this.#db, caller.proxy_key)
      if (!actor) throw unauthenticated()
      return actor
    }
    if (this.lent.isLent(caller.key)) return this.#actorOfLent(caller.key, now)
    // SECURITY: an actor from before a change, or from another vault, is looked up again.
    const isKnown = 'epoch' in caller && caller.epoch === this.#epoch
    const actor = isKnown ? caller.actor : this.#actorOfKey(caller.key)
    if (!actor || hasEnded(actor, now)) throw unauthenticated()
    this.#noteUse(actor, now)
    return actor
  }

  /**
   * Returns the application as a proxy or a reactor acts for it, which counts as a use of it. Throws `not_found` if it
   * is gone.
   */
  actingFor(application_id: string, now: number): Actor {
    const actor = this.#application(application_id, now)
    this.#noteUse(actor, now)
    return actor
  }

  /** Notes the use of a key; without one, of the application that a session, a run or a proxy acts for. */
  #noteUse(actor: Actor, now: number): void {
    if (actor.kind !== 'application' && actor.kind !== 'session') return
    const application_id = actor.kind === 'session' ? actor.application_id : actor.id
    const key_id = actor.kind === 'session' ? null : actor.key_id
    const used = key_id ?? application_id
    const noted = this.#notedAt.get(used)
    if (noted !== undefined && Math.abs(now - noted) < LAST_USE_MS) return
    if (this.#notedAt.size >= MOST_KEYS) this.#notedAt.clear()
    this.#notedAt.set(used, now)
    this.#lastUses.set(used, { key_id, application_id, at: now })
  }

  /** As `actorOf`, but returns null instead of throwing. */
  actorIfValid(caller: Caller, now: number): Actor | null {
    try {
      return this.actorOf(caller, now)
    } catch {
      // The record of the refusal then has no actor.
      return null
    }
  }

  #application(id: string, now: number): Actor {
    const actor = this.#resources.findActorOfApplication(this.#db, id)
    if (!actor || hasEnded(actor, now)) throw new CofferError('not_found', 'There is no such application.')
    return actor
  }

  /** SECURITY: looked up at every call, so that a key ends with its run, also in the middle of a request. */
  #actorOfLent(key: string, now: number): Actor {
    const lent = this.lent.find(key)
    const actor = lent && this.#resources.findActorOfApplication(this.#db, lent.application_id)
    if (!actor || hasEnded(actor, now)) throw unauthenticated()
    this.#noteUse(actor, now)
    return { ...actor, lent }
  }

  #actorOfKey(key: string): Actor | null {
    const known = this.#byKey.get(key)
    if (known) return known
    if (key.length > LONGEST_KEY) return null
    const actor = this.#resources.findActorOfKey(this.#db, keyDigest(key))
    if (!actor) return null
    if (this.#byKey.size >= MOST_KEYS) this.#byKey.clear()
    this.#byKey.set(key, actor)
    if (actor.kind === 'application' && actor.key_id) this.#hints.set(actor.key_id, hintOf(key))
    return actor
  }

  /** Drops the cached actors; every caller is looked up again. */
  forget(): void {
    this.#byKey = new Map()
    this.#epoch = {}
  }

  /** Notes that a page's elements made a call. Returns whether that is to be written. */
  usedInElements(caller: Caller, origin: string, now: number): boolean {
    const actor = 'actor' in caller ? caller.actor : null
    return actor !== null && this.#elements.note(actor, origin, now)
  }

  /** Whether anything has been used since `saveLastUses`. */
  get hasLastUses(): boolean {
    return this.#lastUses.size > 0 || this.#elements.waiting.size > 0
  }

  /** Writes when each was last used, inside the caller's transaction; `takeLastUses` once that is committed. */
  saveLastUses(): void {
    for (const use of this.#lastUses.values()) this.#resources.saveLastUse(this.#db, use)
    for (const [key_id, hint] of this.#hints) this.#resources.saveHint(this.#db, key_id, hint)
    for (const use of this.#elements.waiting.values()) this.#resources.saveElementUse(this.#db, use)
  }

  /** Hands over the uses that wait, to be written by another engine, or because they are on disk. */
  takeLastUses(): LastUses {
    const taken = { uses: this.#lastUses, hints: this.#hints, elements: this.#elements.take() }
    this.#lastUses = new Map()
    this.#hints = new Map()
    return taken
  }

  /** Hands over the keys of code that runs, to an engine that opens the same file again. */
  handOverLent(): LentKeys {
    const { lent } = this
    this.lent = new LentKeys()
    return lent
  }

  /** Takes over the uses that waited for another engine. */
  takeOver({ uses, hints, elements }: LastUses): void {
    this.#lastUses = new Map(uses)
    this.#hints = new Map(hints)
    this.#elements.takeOver(elements)
  }
}

const cardholder: CardholderActor = { kind: 'cardholder', permissions: [], rules: [], expires_at: null }

/** Whether an actor, or the authoriser of a session, has expired (rules K-03, O-04). */
function hasEnded(actor: Actor, now: number): boolean {
  if (actor.kind === 'owner') return false
  if (actor.expires_at !== null && actor.expires_at <= now) return true
  return actor.kind === 'session' && actor.authorizer !== null && hasEnded(actor.authorizer, now)
}

function unauthenticated(): CofferError {
  return new CofferError(
    'unauthenticated',
    'The key is missing, unknown, deleted or expired. Send a valid key in the SVC-API-KEY header.',
  )
}
