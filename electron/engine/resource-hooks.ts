import { permissionNames } from '../../shared/permissions.ts'
import { invalidateSubscribers } from './events/subscriptions.ts'
import { findOperation } from './operations.ts'
import type { ResourceHooks } from './pipeline/resource-hooks.ts'
import { findActorOfApplication, findActorOfKey } from './resources/applications/actors.ts'
import { saveHint, saveLastUse } from './resources/applications/keys/store.ts'
import { raiseLastUse, saveElementUse } from './resources/applications/store.ts'
import { invalidatePrefixLengths } from './resources/cards/store.ts'
import { findActorOfProxy } from './resources/proxies/store.ts'
import { findActorOfSession } from './resources/sessions/store.ts'
import { readSettings } from './resources/tenants/store.ts'

/** The functions of resources that the pipeline calls. */
export const resources: ResourceHooks = {
  findActorOfKey: (db, digest) => findActorOfKey(db, digest) ?? findActorOfSession(db, digest),
  findActorOfApplication,
  findActorOfProxy,
  saveLastUse(db, { key_id, application_id, at }) {
    // Without a key, or if the key was deleted, the last use is stored with the application.
    if (key_id === null || !saveLastUse(db, key_id, at)) raiseLastUse(db, application_id, { at, now: at })
  },
  saveElementUse,
  saveHint,
  readSettings,
  getRequiredPermissions(operation) {
    const permission = findOperation(operation)?.permission ?? 'owner'
    if (typeof permission !== 'string') return permission
    return permissionNames.filter((each) => each === permission)
  },
  invalidateCaches(db) {
    invalidatePrefixLengths(db)
    invalidateSubscribers(db)
  },
}
