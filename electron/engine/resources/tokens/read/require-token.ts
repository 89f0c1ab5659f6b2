import type { Subject } from '../../../access/access.ts'
import { defineLookup } from '../../crud.ts'
import { findToken, getContainers, type TokenRow } from '../store.ts'

const stored = defineLookup('token', findToken)

/** Returns a token by id. Throws `not_found`, also for an expired one (rules P-11, T-14). */
export const requireToken = stored.requireRow

/** Returns the subject for access decisions on a row. */
export function toSubject(row: Pick<TokenRow, 'id' | 'container' | 'containers'>): Subject {
  return { id: row.id, containers: getContainers(row) }
}
