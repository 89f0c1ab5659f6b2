import type { Application } from '../../../shared/schemas/application.ts'
import type { Context } from '../context.ts'
import { goneSince } from '../idempotency.ts'
import { MOST_KEYS, toKey } from '../keys/create-key.ts'
import { findKey, listKeys } from '../keys/store.ts'
import { findApplication, toApplication } from './store.ts'

/** What creating an application keeps (rule A-12): its key too, which nothing else could show again. */
export type KeptApplication = {
  readonly id: string
  readonly key?: { readonly id: string; readonly text: string }
}

/** An application that an earlier request made, as it is now, with the key it was shown with. Throws 409. */
export function showCreated(
  { db, now, tenant_id, about }: Context,
  { id, key }: KeptApplication,
): Application {
  about(id)
  const row = findApplication(db, id, now)
  if (!row || (key && !findKey(db, id, key.id))) throw goneSince()
  const keys = listKeys(db, id, MOST_KEYS, 0).map((each) => toKey(each, tenant_id))
  return { ...toApplication(row, tenant_id), ...(key && { key: key.text }), keys }
}
