import type { Permission } from '../../../../../shared/permissions.ts'
import type { RuleCondition } from '../../../../../shared/schemas/rule.ts'
import { MAX_TOKEN_ID_LENGTH } from '../../../../../shared/schemas/token.ts'
import type { Actor } from '../../../access/actor.ts'
import { getIdConditions } from '../../../access/scopes.ts'
import type { Database } from '../../../db/open.ts'
import { sql } from '../../../db/statement.ts'

/** The maximum number of ids that are looked up directly instead of walking a list. */
const MAX_RULE_IDS = 500

/**
 * Returns the ids of all tokens on which the actor can have one of these permissions, if its rules name ids and
 * match at most 500 tokens; otherwise null. The caller must still check the access to each token.
 */
export function findIdsNamedByRules(
  db: Database,
  actor: Actor,
  permissions: readonly Permission[],
): readonly string[] | null {
  const conditions = getIdConditions(actor, ...permissions)
  if (!conditions) return null
  const ids = new Set<string>()
  for (const condition of conditions) {
    const matches = findMatchingIds(db, condition)
    if (!matches) return null
    for (const id of matches) ids.add(id)
    if (ids.size > MAX_RULE_IDS) return null
  }
  return [...ids]
}

function findMatchingIds(db: Database, { operator, value }: RuleCondition): readonly string[] | null {
  if (operator === 'equals') return [value]
  // A prefix may end with half a surrogate pair, which SQLite cannot represent.
  if (!value.isWellFormed()) return null
  const upperBound = value + '\u{10ffff}'.repeat(MAX_TOKEN_ID_LENGTH)
  const ids = sql<string>(db, 'SELECT id FROM token WHERE id >= ? AND id < ? LIMIT ?').pluck()
  return ids.all(value, upperBound, MAX_RULE_IDS + 1)
}
