import { CofferError } from '../../../../shared/errors.ts'
import type { Permission } from '../../../../shared/permissions.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import { decideReading, type Grant } from '../../access/access.ts'
import { actorId } from '../../access/actor.ts'
import { scopesOf } from '../../access/scopes.ts'
import type { Context } from '../../door/context.ts'
import { lastMove } from './container-moves.ts'
import { openPlace, sealPlace } from './cursor.ts'
import { toToken } from './present.ts'
import { subjectOf } from './require-token.ts'
import { type Filter, type Step, walkTokens } from './walk.ts'

/**
 * Returns a page of a cursor walk, with each token as one of the permissions lets the caller see it (rules L-03, L-04,
 * P-09). Throws `invalid` for a cursor that does not fit, `forbidden` for a container without the permission.
 */
export function listPage(
  context: Context,
  filter: Filter,
  { container, start, size }: { container: string | undefined; start: string | undefined; size: number },
  ...permissions: readonly Permission[]
): { pagination: { page_size: number; next?: string }; data: Token[] } {
  // Which table the pair is in may change while a cursor is in use.
  const named = filter.by === 'metadata' ? { ...filter, pair: undefined } : filter
  const scope = JSON.stringify([actorId(context.actor), named, container ?? null])
  const { after, since } =
    start === undefined ? { after: null, since: lastMove(context.db) } : openPlace(context, start, scope)
  const scopes = container === undefined ? scopesOf(context.actor, ...permissions) : [container]
  if (container !== undefined) requireContainer(context, container, permissions)
  const page: (Step & { grant: Grant })[] = []
  let next: string | undefined
  for (const step of walkTokens(context.db, { filter, scopes, after, since }, context.now, size + 1)) {
    const grant = decideReading(context.actor, permissions, subjectOf(step.row))
    if (!grant) continue
    const last = page[size - 1]
    if (last) {
      next = sealPlace(context, { last: last.position, next: step.position, since }, scope)
      break
    }
    page.push({ ...step, grant })
  }
  return {
    pagination: { page_size: size, ...(next !== undefined && { next }) },
    data: page.map(({ row, grant }) => toToken(context, row, grant.transform)),
  }
}

/** A `container` filter needs the permission on it (rule L-01). */
function requireContainer({ actor }: Context, container: string, permissions: readonly Permission[]): void {
  if (!decideReading(actor, permissions, { id: '', containers: [container] })) {
    throw new CofferError('forbidden', `${permissions.join(' or ')} is not granted on this container.`, {
      missing: { permissions, containers: [container] },
    })
  }
}
