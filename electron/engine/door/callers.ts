import { CofferError } from '../../../shared/errors.ts'
import { hintOf } from '../../../shared/key-hint.ts'
import type { Actor } from '../access/actor.ts'
import { keyDigest } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import type { Caller, IdentifiedCaller } from './call.ts'
import type { KeyUse, Resources } from './resources.ts'

/** Uses of keys, and hints of keys that have none yet, by the keys' ids. */
export type LastUses = {
  readonly uses: ReadonlyMap<string, KeyUse>
  readonly hints: ReadonlyMap<string, string>
}

const MOST_KEYS = 1000
/** No key of Coffer's is longer, nor may one be fixed that is. */
const LONGEST_KEY = 100

/** Turns callers into actors, and keeps the actors of keys it has seen until something about them changes. */
export class Callers {
  readonly #db: Database
  readonly #resources: Resources
  #byKey = new Map<string, Actor>()
  /** Another object after every change, so that an actor found before it is looked up again. */
  #epoch = {}
  #lastUses = new Map<string, KeyUse>()
  /** The hints of keys that were looked up, for those that were made before hints were kept. */
  #hints = new Map<string, string>()

  constructor(db: Database, resources: Resources) {
    this.#db = db
    this.#resources = resources
  }

  /** A caller whose key is looked up once, here, and again only after a change; throws 401 (rule A-04). */
  identify(key: string, now: number): IdentifiedCaller {
    const actor = this.actorOf({ kind: 'key', key }, now)
    return { kind: 'key', key, actor, epoch: this.#epoch }
  }

  /** The actor a caller is at this moment; throws 401 for a key that is not valid (rules A-04, K-03). */
  actorOf(caller: Caller, now: number): Actor {
    if (caller.kind === 'owner') return caller
    if (caller.kind === 'as') return this.#application(caller.application_id, now)
    // SECURITY: an actor from before a change, or of another vault, is looked up again.
    const isKnown = 'epoch' in caller && caller.epoch === this.#epoch
    const actor = isKnown ? caller.actor : this.#actorOfKey(caller.key)
    if (!actor || hasEnded(actor, now)) throw unauthenticated()
    if (actor.kind === 'application' && actor.key_id) {
      this.#lastUses.set(actor.key_id, { key_id: actor.key_id, application_id: actor.id, at: now })
    }
    return actor
  }

  /** The actor a caller is at this moment, or null where it is none. */
  actorIfValid(caller: Caller, now: number): Actor | null {
    try {
      return this.actorOf(caller, now)
    } catch {
      // The record of the refusal then names nobody.
      return null
    }
  }

  #application(id: string, now: number): Actor {
    const actor = this.#resources.findActorOfApplication(this.#db, id)
    if (!actor || hasEnded(actor, now)) throw new CofferError('not_found', 'There is no such application.')
    return actor
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

  /** From now on looks every caller up again. */
  forget(): void {
    this.#byKey = new Map()
    this.#epoch = {}
  }

  /** Whether keys were used since that was last written. */
  get hasLastUses(): boolean {
    return this.#lastUses.size > 0
  }

  /** Writes when each key was last used, inside the caller's transaction; `takeLastUses` once that is committed. */
  saveLastUses(): void {
    for (const use of this.#lastUses.values()) this.#resources.saveLastUse(this.#db, use)
    for (const [key_id, hint] of this.#hints) this.#resources.saveHint(this.#db, key_id, hint)
  }

  /** Hands over the uses that wait, to be written by another engine, or because they are on disk. */
  takeLastUses(): LastUses {
    const taken = { uses: this.#lastUses, hints: this.#hints }
    this.#lastUses = new Map()
    this.#hints = new Map()
    return taken
  }

  /** Takes over the uses that waited for another engine. */
  takeOver({ uses, hints }: LastUses): void {
    this.#lastUses = new Map(uses)
    this.#hints = new Map(hints)
  }
}

/** Whether an actor has expired, or a session's authoriser has (rules K-03, O-04). */
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
