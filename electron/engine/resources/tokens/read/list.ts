import { CofferError } from '../../../../../shared/errors.ts'
import type { Permission } from '../../../../../shared/permissions.ts'
import type { Token } from '../../../../../shared/schemas/token.ts'
import type { Position } from '../../../../../shared/token-order.ts'
import { decideReading } from '../../../access/access.ts'
import { getActorId } from '../../../access/actor.ts'
import { getScopes } from '../../../access/scopes.ts'
import type { Context } from '../../../pipeline/context.ts'
import { AnswerBudget } from './answer-budget.ts'
import { findLastMove } from './container-moves.ts'
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
  const scopeFilter = filter.by === 'metadata' ? { ...filter, pair: undefined } : filter
  const scope = JSON.stringify([getActorId(actor), scopeFilter, container ?? null])
  const { after, since } =
    start === undefined ? { after: null, since: findLastMove(db) } : openWalkCursor(context, start, scope)
  const scopes =
    container === undefined
      ? getScopes(actor, ...permissions)
      : requireContainer(context, container, permissions)
  // A list with another filter may have fewer tokens than the rules name, so the list is walked instead.
  const namesRules = filter.by === 'all' || filter.by === 'type'
  const ids = namesRules ? findIdsNamedByRules(db, actor, permissions) : null
  const budget = new AnswerBudget(context)
  const data: Token[] = []
  let scanCost = 0
  let last: Position | null = null
  for (const { row, position } of walkTokens(db, { filter, scopes, ids, after, since }, now, size + 1)) {
    const toListPage = (end: Position) => ({
      pagination: {
        page_size: size,
        next: sealWalkCursor(context, { last: end, next: position, since }, scope),
      },
      data,
    })
    if (last && scanCost >= MAX_SCAN_COST) return toListPage(last)
    scanCost += computeScanCost(row, actor)
    const grant = row && decideReading(actor, permissions, toSubject(row))
    const presented = grant && data.length < size ? budget.presentToken(row, grant.transform) : null
    if (presented) data.push(presented)
    else if (grant && last) return toListPage(last)
    last = position
  }
  return { pagination: { page_size: size }, data }
}

/**
 * Returns the scopes of a `container` filter. Throws `forbidden` unless the caller has one of the permissions on the
 * container (rule L-01).
 */
function requireContainer(
  { actor }: Context,
  container: string,
  permissions: readonly Permission[],
): readonly string[] {
  if (decideReading(actor, permissions, { id: '', containers: [container] })) return [container]
  throw new CofferError('forbidden', `${permissions.join(' or ')} is not granted on this container.`, {
    missing: { permissions, containers: [container] },
  })
}
