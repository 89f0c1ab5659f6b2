import { CofferError } from '../../../../shared/errors.ts'
import type { Context } from '../../door/context.ts'
import { findTokenIntent, type TokenIntentRow } from './store.ts'

/** A token intent by id; throws 404 where there is none, or none any more (rule O-03). */
export function requireTokenIntent(context: Context, id: string): TokenIntentRow {
  const { db, now } = context
  context.about(id)
  const row = findTokenIntent(db, id, now)
  if (!row) throw new CofferError('not_found', 'There is no such token intent.')
  return row
}
