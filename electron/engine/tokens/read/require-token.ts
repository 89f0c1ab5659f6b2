import { CofferError } from '../../../../shared/errors.ts'
import type { Subject } from '../../access/access.ts'
import type { Context } from '../../door/context.ts'
import { containersOf, findToken, type TokenRow } from '../store.ts'

/** A token by id; throws 404 (rules P-11, T-14). */
export function requireToken(context: Context, id: string): TokenRow {
  const { db, now } = context
  context.about(id)
  const row = findToken(db, id, now)
  if (!row) throw new CofferError('not_found', 'There is no such token.')
  return row
}

/** What access to a row is decided on. */
export function subjectOf(row: TokenRow): Subject {
  return { id: row.id, containers: containersOf(row) }
}
