import { CofferError } from '../../../../../shared/errors.ts'
import type { Subject } from '../../../access/access.ts'
import type { Context } from '../../../pipeline/context.ts'
import { findToken, getContainers, type TokenRow } from '../store.ts'

/** Returns a token by id. Throws `not_found`, also for an expired one (rules P-11, T-14). */
export function requireToken(context: Context, id: string): TokenRow {
  const { db, now } = context
  context.setRecordEntity(id)
  const row = findToken(db, id, now)
  if (!row) throw new CofferError('not_found', 'There is no such token.')
  return row
}

/** Returns the subject for access decisions on a row. */
export function toSubject(row: Pick<TokenRow, 'id' | 'container' | 'containers'>): Subject {
  return { id: row.id, containers: getContainers(row) }
}
