import { CofferError } from '../../../../shared/errors.ts'
import type { Context } from '../../pipeline/context.ts'
import { type ApplicationRow, findApplication } from './store.ts'

/** Returns an application by id. Throws `not_found`, also for an expired one (rule K-03). */
export function requireApplication(context: Context, id: string): ApplicationRow {
  const { db, now } = context
  context.setRecordEntity(id)
  const row = findApplication(db, id, now)
  if (!row) throw new CofferError('not_found', 'There is no such application.')
  return row
}
