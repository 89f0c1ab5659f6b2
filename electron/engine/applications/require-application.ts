import { CofferError } from '../../../shared/errors.ts'
import type { Context } from '../door/context.ts'
import { type ApplicationRow, findApplication } from './store.ts'

/** An application by id; throws 404 (rule K-03: an expired one is gone at once). */
export function requireApplication(context: Context, id: string): ApplicationRow {
  const { db, now } = context
  context.about(id)
  const row = findApplication(db, id, now)
  if (!row) throw new CofferError('not_found', 'There is no such application.')
  return row
}
