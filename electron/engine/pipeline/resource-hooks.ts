import type { TenantSettings } from '../../../shared/settings.ts'
import type { Actor, ApplicationActor, ProxyActor } from '../access/actor.ts'
import type { Database } from '../db/open.ts'

/** The functions the door calls on resources. Resources import the door, so it cannot import them. */
export type ResourceHooks = {
  /** The application or session behind a key's digest, or null. */
  findActorOfKey(db: Database, digest: Buffer): Actor | null
  findActorOfApplication(db: Database, id: string): ApplicationActor | null
  /** Who calls a proxy without a key; null if there is no such proxy, or if it asks for a key. */
  findActorOfProxy(db: Database, proxy_key: string): ProxyActor | null
  /** Stores when an application was last used, by a key or without. The key may have been deleted in the meantime. */
  saveLastUse(db: Database, use: CallerKeyUse): void
  /** Stores that a page used an application in elements. */
  saveElementUse(db: Database, use: CallerElementUse): void
  /** Stores the hint of a key that has none yet. */
  saveHint(db: Database, key_id: string, hint: string): void
  readSettings(db: Database): TenantSettings
  /** Drops what resources cache for a file. */
  invalidateCaches(db: Database): void
}

/** A page that used an application in elements, by this key, or by a session if it is null. */
export type CallerElementUse = {
  readonly application_id: string
  readonly origin: string
  readonly key_id: string | null
  readonly at: number
}

/** A use of an application by a key; null for one by a session, a reactor or a proxy. */
export type CallerKeyUse = {
  readonly key_id: string | null
  readonly application_id: string
  readonly at: number
}
