import { findActorOfApplication, findActorOfKey } from './applications/actors.ts'
import { saveElementUse } from './applications/element-uses.ts'
import { saveHint, saveLastUse } from './applications/keys/store.ts'
import { raiseLastUse } from './applications/store.ts'
import { invalidatePrefixLengths } from './cards/store.ts'
import { invalidateSubscribers } from './events/subscriptions.ts'
import type { ResourceHooks } from './pipeline/resource-hooks.ts'
import { findActorOfProxy } from './proxies/actors.ts'
import { findActorOfSession } from './sessions/actors.ts'
import { readSettings } from './tenants/store.ts'

/** The functions of resources that the pipeline calls. */
export const resources: ResourceHooks = {
  findActorOfKey: (db, digest) => findActorOfKey(db, digest) ?? findActorOfSession(db, digest),
  findActorOfApplication,
  findActorOfProxy,
  saveLastUse(db, { key_id, application_id, at }) {
    // Without a key, or if the key was deleted, the last use is stored with the application.
    if (key_id === null || !saveLastUse(db, key_id, at)) raiseLastUse(db, application_id, at)
  },
  saveElementUse,
  saveHint,
  readSettings,
  invalidateCaches(db) {
    invalidatePrefixLengths(db)
    invalidateSubscribers(db)
  },
}
