import { CofferError } from '../../../shared/errors.ts'
import { hintOf } from '../../../shared/key-hint.ts'
import type { Actor, Caller } from '../access/actor.ts'
import { findActorOfApplication, findActorOfKey } from '../applications/actors.ts'
import { saveHint, saveLastUse } from '../applications/keys/store.ts'
import { keepLastUse } from '../applications/store.ts'
import { keyDigest } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import { findActorOfSession } from '../sessions/actors.ts'

const unauthenticated =
  'The key is missing, unknown, deleted or expired. Send a valid key in the SVC-API-KEY header.'

/** Turns callers into actors, and keeps the actors of keys it has seen until something about them changes. */
export class Callers {
  readonly #db: Database
  #byKey = new Map<string, Actor>()
  #lastUses = new Map<string, { readonly application_id: string; readonly at: number }>()
  /** The hints of keys that were looked up, for those that were made before hints were kept. */
  #hints = new Map<string, string>()

  constructor(db: Database) {
    this.#db = db
  }

  /** The actor a caller is at this moment; throws 401 for a key that is not valid (rules A-04, K-03). */
  actorOf(caller: Caller, now: number): Actor {
    if (caller.kind === 'owner') return caller
    if (caller.kind === 'as') {
      const actor = findActorOfApplication(this.#db, caller.application_id)
      if (!actor || (actor.expires_at !== null && actor.expires_at <= now)) {
        throw new CofferError('not_found', 'There is no such application.')
      }
      return actor
    }
    const actor = this.#actorOfKey(caller.key)
    if (!actor || (actor.kind !== 'owner' && actor.expires_at !== null && actor.expires_at <= now)) {
      throw new CofferError('unauthenticated', unauthenticated)
    }
    if (actor.kind === 'session') {
      const until = actor.authorizer?.expires_at ?? null
      if (until !== null && until <= now) throw new CofferError('unauthenticated', unauthenticated)
    }
    if (actor.kind === 'application' && actor.key_id) {
      this.#lastUses.set(actor.key_id, { application_id: actor.id, at: now })
    }
    return actor
  }

  /** The actor a caller is at this moment, or null where it is none. */
  actorIfValid(caller: Caller, now: number): Actor | null {
    try {
      return this.actorOf(caller, now)
    } catch {
      return null
    }
  }

  #actorOfKey(key: string): Actor | null {
    const known = this.#byKey.get(key)
    if (known) return known
    if (key.length > 100) return null
    const digest = keyDigest(key)
    const actor = findActorOfKey(this.#db, digest) ?? findActorOfSession(this.#db, digest)
    if (!actor) return null
    if (this.#byKey.size >= 1000) this.#byKey.clear()
    this.#byKey.set(key, actor)
    if (actor.kind === 'application' && actor.key_id) this.#hints.set(actor.key_id, hintOf(key))
    return actor
  }

  /** Looks every caller up anew from now on. */
  forget(): void {
    this.#byKey = new Map()
  }

  /** Whether keys were used since that was last written. */
  get hasLastUses(): boolean {
    return this.#lastUses.size > 0
  }

  /** Writes when each key was last used, inside the caller's transaction. */
  saveLastUses(): void {
    for (const [key_id, { application_id, at }] of this.#lastUses) {
      // A key that was deleted meanwhile leaves its last use to its application.
      if (!saveLastUse(this.#db, key_id, at)) keepLastUse(this.#db, application_id, at)
    }
    for (const [key_id, hint] of this.#hints) saveHint(this.#db, key_id, hint)
    this.#lastUses = new Map()
    this.#hints = new Map()
  }
}
