import type { Permission } from '../../../../shared/permissions.ts'
import type { Condition } from '../../../../shared/schemas/rule.ts'
import { longestTokenId } from '../../../../shared/schemas/token.ts'
import type { Actor } from '../../access/actor.ts'
import { idConditionsOf } from '../../access/scopes.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'

/** The most ids that are looked up instead of walking a list. */
const MOST = 500

/**
 * Returns the ids of all tokens on which the actor can hold one of these permissions, where its rules name them and they
 * are few; otherwise null. Access to each is still to be decided.
 */
export function namedIds(
  db: Database,
  actor: Actor,
  permissions: readonly Permission[],
): readonly string[] | null {
  const conditions = idConditionsOf(actor, ...permissions)
  if (!conditions) return null
  const ids = new Set<string>()
  for (const condition of conditions) {
    const found = idsMeeting(db, condition)
    if (!found) return null
    for (const id of found) ids.add(id)
    if (ids.size > MOST) return null
  }
  return [...ids]
}

function idsMeeting(db: Database, { operator, value }: Condition): readonly string[] | null {
  if (operator === 'equals') return [value]
  // SQLite has no half of a character, which a beginning may end with here.
  if (!value.isWellFormed()) return null
  const above = value + '\u{10ffff}'.repeat(longestTokenId)
  const ids = sql(db, 'SELECT id FROM token WHERE id >= ? AND id < ? LIMIT ?').pluck()
  return ids.all(value, above, MOST + 1) as string[]
}
