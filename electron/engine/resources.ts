import { findActorOfApplication, findActorOfKey } from './applications/actors.ts'
import { saveElementUse } from './applications/element-uses.ts'
import { saveHint, saveLastUse } from './applications/keys/store.ts'
import { keepLastUse } from './applications/store.ts'
import { forgetBins } from './cards/store.ts'
import type { Resources } from './door/resources.ts'
import { forgetWanted } from './events/wanted.ts'
import { findActorOfProxy } from './proxies/actors.ts'
import { findActorOfSession } from './sessions/actors.ts'
import { readSettings } from './tenants/store.ts'

/** The functions that the door calls on resources. */
export const resources: Resources = {
  findActorOfKey: (db, digest) => findActorOfKey(db, digest) ?? findActorOfSession(db, digest),
  findActorOfApplication,
  findActorOfProxy,
  saveLastUse(db, { key_id, application_id, at }) {
    // If there is no key, or it has been deleted, its application keeps the last use.
    if (key_id === null || !saveLastUse(db, key_id, at)) keepLastUse(db, application_id, at)
  },
  saveElementUse,
  saveHint,
  readSettings,
  forget(db) {
    forgetBins(db)
    forgetWanted(db)
  },
}
