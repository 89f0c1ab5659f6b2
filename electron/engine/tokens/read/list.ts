import { CofferError } from '../../../../shared/errors.ts'
import type { Permission } from '../../../../shared/permissions.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import type { Position } from '../../../../shared/token-order.ts'
import { decideReading } from '../../access/access.ts'
import { actorId } from '../../access/actor.ts'
import { scopesOf } from '../../access/scopes.ts'
import type { Context } from '../../door/context.ts'
import { lastMove } from './container-moves.ts'
import { openPlace, sealPlace } from './cursor.ts'
import { looksOf, MOST_LOOKS } from './looks.ts'
import { namedIds } from './named-ids.ts'
import { subjectOf } from './require-token.ts'
import { Room } from './room.ts'
import { type Filter, walkTokens } from './walk.ts'

/**
 * Returns a page of a cursor walk, with each token as one of the permissions lets the caller see it (rules L-03, L-04,
 * P-09). A page ends early, perhaps without a token, where it has looked at 2,000 rows or has no room for the next
 * token; `next` continues there (rule R-03). Throws `invalid` for a cursor that does not fit, `forbidden` for a
 * container without the permission.
 */
export function listPage(
  context: Context,
  filter: Filter,
  { container, start, size }: { container: string | undefined; start: string | undefined; size: number },
  ...permissions: readonly Permission[]
): { pagination: { page_size: number; next?: string }; data: Token[] } {
  const { db, actor, now } = context
  // Which table the pair is in may change while a cursor is in use.
  const named = filter.by === 'metadata' ? { ...filter, pair: undefined } : filter
  const scope = JSON.stringify([actorId(actor), named, container ?? null])
  const { after, since } =
    start === undefined ? { after: null, since: lastMove(db) } : openPlace(context, start, scope)
  const scopes = container === undefined ? scopesOf(actor, ...permissions) : [container]
  if (container !== undefined) requireContainer(context, container, permissions)
  // Other filters may find fewer tokens than the conditions name.
  const ids = filter.by === 'all' || filter.by === 'type' ? namedIds(db, actor, permissions) : null
  const room = new Room(context)
  const data: Token[] = []
  let looks = 0
  let last: Position | null = null
  for (const { row, position } of walkTokens(db, { filter, scopes, ids, after, since }, now, size + 1)) {
    const pageAfter = (end: Position) => ({
      pagination: { page_size: size, next: sealPlace(context, { last: end, next: position, since }, scope) },
      data,
    })
    if (last && looks >= MOST_LOOKS) return pageAfter(last)
    looks += looksOf(row, actor)
    const grant = row && decideReading(actor, permissions, subjectOf(row))
    if (grant) {
      const shown = data.length < size ? room.show(row, grant.transform) : null
      if (shown) data.push(shown)
      else if (last) return pageAfter(last)
    }
    last = position
  }
  return { pagination: { page_size: size }, data }
}

/** A `container` filter needs the permission on it (rule L-01). */
function requireContainer({ actor }: Context, container: string, permissions: readonly Permission[]): void {
  if (!decideReading(actor, permissions, { id: '', containers: [container] })) {
    throw new CofferError('forbidden', `${permissions.join(' or ')} is not granted on this container.`, {
      missing: { permissions, containers: [container] },
    })
  }
}
