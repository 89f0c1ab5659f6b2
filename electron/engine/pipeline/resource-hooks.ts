import type { Permission } from '../../../shared/permissions.ts'
import type { TenantSettings } from '../../../shared/settings.ts'
import type { Actor, ApplicationActor, ProxyActor } from '../access/actor.ts'
import type { Database } from '../db/open.ts'

/** The functions of resources that the pipeline calls: it cannot import them, because they import it. */
export type ResourceHooks = {
  /** The application or session behind a key's digest, or null. */
  findActorOfKey(db: Database, digest: Buffer): Actor | null
  findActorOfApplication(db: Database, id: string): ApplicationActor | null
  /** The actor of a proxy call without a key; null if there is no such proxy, or if it requires a key. */
  findActorOfProxy(db: Database, proxy_key: string): ProxyActor | null
  /** Stores when an application was last used, with or without a key. The key may have been deleted meanwhile. */
  saveLastUse(db: Database, use: CallerKeyUse): void
  /** Stores that a page's elements used an application. */
  saveElementUse(db: Database, use: CallerElementUse): void
  /** Stores the hint of a key that has none. */
  saveHint(db: Database, key_id: string, hint: string): void
  readSettings(db: Database): TenantSettings
  /** The permissions of which an operation needs one; empty if every key may call it, or if it does not exist. */
  getRequiredPermissions(operation: string): readonly Permission[]
  /** Drops everything that resources cache for a file. */
  invalidateCaches(db: Database): void
}

/** A page whose elements used an application: with a key, or with a session if `key_id` is null. */
export type CallerElementUse = {
  readonly application_id: string
  readonly origin: string
  readonly key_id: string | null
  readonly at: number
}

/** A use of an application. `key_id` is null if a session, a reactor or a proxy used it without a key. */
export type CallerKeyUse = {
  readonly key_id: string | null
  readonly application_id: string
  readonly at: number
}
