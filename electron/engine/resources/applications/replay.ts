import type { Application } from '../../../../shared/schemas/application.ts'
import type { Context } from '../../pipeline/context.ts'
import { createDeletedSinceError } from '../../pipeline/idempotency.ts'
import { findKey } from './keys/store.ts'
import { toApplication } from './present.ts'
import { findApplication } from './store.ts'

/** The replay data of creating an application (rule A-12). It contains the key, which is stored nowhere else. */
export type ApplicationReplay = {
  readonly id: string
  readonly key?: { readonly id: string; readonly text: string }
}

/**
 * Presents the current state of an application that an earlier request created, with its key. Throws `conflict` if the
 * application or the key has been deleted since.
 */
export function presentCreatedApplication(context: Context, { id, key }: ApplicationReplay): Application {
  const { db, now } = context
  context.setRecordEntity(id)
  const row = findApplication(db, id, now)
  if (!row || (key && !findKey(db, id, key.id))) throw createDeletedSinceError()
  return { ...toApplication(context, row), ...(key && { key: key.text }) }
}
