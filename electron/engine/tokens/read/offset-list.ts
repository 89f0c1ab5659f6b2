import { offsetOf, toOffsetPage } from '../../../../shared/offset-page.ts'
import type { Permission } from '../../../../shared/permissions.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import { decideReading } from '../../access/access.ts'
import { scopesOf } from '../../access/scopes.ts'
import type { Context } from '../../door/context.ts'
import { findToken } from '../store.ts'
import { type Candidates, countTokens, findPage, idsOf } from './offset-store.ts'
import { toToken } from './present.ts'
import { subjectOf } from './require-token.ts'

/**
 * Returns a numbered page of the candidates the caller may read, newest first. The total counts no others (rules L-05,
 * L-06, P-09).
 */
export function offsetList(
  context: Context,
  candidates: Candidates,
  { page, size }: { page: number; size: number },
  ...permissions: readonly Permission[]
) {
  const { ids, total } = pageOf(context, candidates, size, offsetOf({ page, size }), permissions)
  const data = ids.flatMap((id): Token[] => {
    const row = findToken(context.db, id, context.now)
    const grant = row && decideReading(context.actor, permissions, subjectOf(row))
    return grant ? [toToken(context, row, grant.transform)] : []
  })
  return toOffsetPage(data, total, page, size)
}

function pageOf(
  { db, actor, now }: Context,
  candidates: Candidates,
  size: number,
  offset: number,
  permissions: readonly Permission[],
): { ids: string[]; total: number } {
  const scope = { scopes: scopesOf(actor, ...permissions), now }
  if (actor.kind !== 'session') {
    const total = countTokens(db, candidates, scope)
    return { ids: offset < total ? findPage(db, candidates, scope, size, offset) : [], total }
  }
  // A session's conditions may depend on the id of each token.
  const ids: string[] = []
  let total = 0
  for (const subject of idsOf(db, candidates, scope)) {
    if (!decideReading(actor, permissions, subject)) continue
    if (total >= offset && ids.length < size) ids.push(subject.id)
    total++
  }
  return { ids, total }
}
