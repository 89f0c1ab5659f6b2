import { CofferError } from '../../../../../shared/errors.ts'
import type { Permission } from '../../../../../shared/permissions.ts'
import type { Token } from '../../../../../shared/schemas/token.ts'
import type { Position } from '../../../../../shared/token-order.ts'
import { decideReading } from '../../../access/access.ts'
import { getActorId } from '../../../access/actor.ts'
import { getScopes } from '../../../access/scopes.ts'
import type { Context } from '../../../pipeline/context.ts'
import { AnswerBudget } from './answer-budget.ts'
import { openWalkCursor, sealWalkCursor } from './cursor.ts'
import { toSubject } from './require-token.ts'
import { findIdsNamedByRules } from './rule-ids.ts'
import { computeScanCost, MAX_SCAN_COST } from './scan-cost.ts'
import { type WalkFilter, walkTokens } from './walk.ts'

/**
 * Returns one page of a cursor walk. Each token is shown with the access that one of the permissions grants (rules
 * L-03, L-04, P-09). A page ends early, perhaps empty, at a scan cost of 2,000 or if the next token exceeds the
 * response's budget; `next` continues there (rule R-03). Throws `invalid` for a cursor of another list, and
 * `forbidden` for a container without the permission.
 */
export function listPage(
  context: Context,
  filter: WalkFilter,
  { container, start, size }: { container: string | undefined; start: string | undefined; size: number },
  ...permissions: readonly Permission[]
): { pagination: { page_size: number; next?: string }; data: Token[] } {
  const { db, actor, now } = context
  // The table of metadata pairs may change while a cursor is in use, so the scope does not include it.
  const scope = JSON.stringify([getActorId(actor), { ...filter, pair: undefined }, container ?? null])
  const { after, since } = openWalkCursor(context, start, scope)
  const scopes = requireScopes(context, container, permissions)
  // A list with another filter may have fewer tokens than the rules name, so the list is walked instead.
  const ids = ['all', 'type'].includes(filter.by) ? findIdsNamedByRules(db, actor, permissions) : null
  const budget = new AnswerBudget(context)
  const data: Token[] = []
  let scanCost = 0
  let last: Position | null = null
  const toPage = (last: Position, next: Position) => ({
    pagination: { page_size: size, next: sealWalkCursor(context, { last, next, since }, scope) },
    data,
  })
  for (const { row, position } of walkTokens(db, { filter, scopes, ids, after, since }, now, size + 1)) {
    if (last && scanCost >= MAX_SCAN_COST) return toPage(last, position)
    scanCost += computeScanCost(row, actor)
    const grant = row && decideReading(actor, permissions, toSubject(row))
    const presented = grant && data.length < size ? budget.presentToken(row, grant.transform) : null
    if (presented) data.push(presented)
    else if (grant && last) return toPage(last, position)
    last = position
  }
  return { pagination: { page_size: size }, data }
}

/**
 * Returns the scopes of a `container` filter; without one, all that the caller may read. Throws `forbidden` unless the
 * caller has one of the permissions on the container (rule L-01).
 */
function requireScopes(
  { actor }: Context,
  container: string | undefined,
  permissions: readonly Permission[],
): readonly string[] {
  if (container === undefined) return getScopes(actor, ...permissions)
  if (decideReading(actor, permissions, { id: '', containers: [container] })) return [container]
  throw new CofferError('forbidden', `${permissions.join(' or ')} is not granted on this container.`, {
    missing: { permissions, containers: [container] },
  })
}
