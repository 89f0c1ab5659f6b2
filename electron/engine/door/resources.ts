import type { Settings } from '../../../shared/settings.ts'
import type { Actor, ApplicationActor } from '../access/actor.ts'
import type { Database } from '../db/open.ts'

/** What the door asks of the resources, which know the door themselves. */
export type Resources = {
  /** The application or session behind a key's digest, or null. */
  findActorOfKey(db: Database, digest: Buffer): Actor | null
  findActorOfApplication(db: Database, id: string): ApplicationActor | null
  /** Notes when a key of an application was last used; the key may have been deleted meanwhile. */
  saveLastUse(db: Database, use: KeyUse): void
  /** Notes the hint of a key that has none yet. */
  saveHint(db: Database, key_id: string, hint: string): void
  readSettings(db: Database): Settings
  /** Drops what resources keep in memory of a file. */
  forget(db: Database): void
}

export type KeyUse = { readonly key_id: string; readonly application_id: string; readonly at: number }
