import { CofferError, invalid } from '../../../../shared/errors.ts'
import { offsetOf, toOffsetPage } from '../../../../shared/offset-page.ts'
import type { Permission } from '../../../../shared/permissions.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import { decideReading, hasConditions } from '../../access/access.ts'
import { scopesOf } from '../../access/scopes.ts'
import type { Context } from '../../door/context.ts'
import { findToken } from '../store.ts'
import { looksOf, MOST_LOOKS } from './looks.ts'
import { namedIds } from './named-ids.ts'
import {
  type Candidates,
  countTokens,
  findPage,
  hasManyExpired,
  hasManyMembers,
  type Readable,
  type Source,
  sourceOf,
} from './offset-store.ts'
import { subjectOf } from './require-token.ts'
import { Room } from './room.ts'

/**
 * Returns a numbered page of the candidates the caller may read, newest first. The total counts no others (rules L-05,
 * L-06, P-09). Throws `invalid` where the total, the place of the page or the tokens on it would take long to find: a
 * numbered page cannot end early, and states no total that it does not know (rule R-03).
 */
export function offsetList(
  context: Context,
  candidates: Candidates,
  { page, size }: { page: number; size: number },
  ...permissions: readonly Permission[]
) {
  const { db, actor, now } = context
  const source = sourceOf(db, narrowed(context, candidates, permissions))
  const readable = readableBy(context, permissions)
  if (source === undefined || hasManyMembers(db, readable)) throw tooMany()
  if (hasManyExpired(db, now)) throw expiring()
  const find = hasConditions(actor) ? findOneByOne : findTogether
  const asked = { readable, size, offset: offsetOf({ page, size }), permissions }
  const { ids, total } = find(context, source, asked)
  if (ids.length < Math.min(size, total - asked.offset)) throw tooFar()
  return toOffsetPage(show(context, ids, permissions), total, page, size)
}

/** The candidates; of all tokens, those that conditions name. A filter may find fewer than they do. */
function narrowed(
  { db, actor }: Context,
  candidates: Candidates,
  permissions: readonly Permission[],
): Candidates {
  const { ids, metadata = [], index } = candidates
  if (ids || metadata.length > 0 || index) return candidates
  const named = namedIds(db, actor, permissions)
  return named ? { ids: named } : candidates
}

/** The scopes to look in: all where conditions, which decide on each token anyway, narrow them to many members. */
function readableBy({ db, actor, now }: Context, permissions: readonly Permission[]): Readable {
  const readable = { scopes: scopesOf(actor, ...permissions), now }
  return hasConditions(actor) && hasManyMembers(db, readable) ? { scopes: ['/'], now } : readable
}

type Asked = {
  readonly readable: Readable
  readonly size: number
  readonly offset: number
  readonly permissions: readonly Permission[]
}
type Found = { readonly ids: readonly string[]; readonly total: number }

function findTogether({ db }: Context, source: Source, { readable, size, offset }: Asked): Found {
  const total = countTokens(db, source, readable)
  if (total === null) throw tooMany()
  return { ids: offset < total ? findPage(db, source, readable, size, offset) : [], total }
}

/** For a session whose conditions may depend on the id of each token. */
function findOneByOne(
  context: Context,
  source: Source,
  { readable, size, offset, permissions }: Asked,
): Found {
  const { db, actor, now } = context
  const most = countTokens(db, source, readable)
  if (most === null || most > MOST_LOOKS) throw tooManyToCheck()
  const candidates = findPage(db, source, readable, most, 0)
  if (candidates.length < most) throw tooFar()
  let looks = 0
  const ids = candidates.filter((id) => {
    if (looks >= MOST_LOOKS) throw tooManyToCheck()
    const row = findToken(db, id, now)
    looks += looksOf(row, actor)
    return row && decideReading(actor, permissions, subjectOf(row))
  })
  return { ids: ids.slice(offset, offset + size), total: ids.length }
}

function show(context: Context, ids: readonly string[], permissions: readonly Permission[]): Token[] {
  const room = new Room(context)
  return ids.flatMap((id): Token[] => {
    const row = findToken(context.db, id, context.now)
    const grant = row && decideReading(context.actor, permissions, subjectOf(row))
    if (!grant) return []
    const token = room.show(row, grant.transform)
    if (!token) throw tooLarge()
    return [token]
  })
}

function tooLarge(): CofferError {
  return invalid(
    'size',
    'asks for more than one answer may hold: the tokens of this page are large, or their masks take much work; ask for fewer, or use the v2 operation',
  )
}

function tooMany(): CofferError {
  return invalid('page', 'counts into a list that is too long to number; use the v2 operation')
}

function tooManyToCheck(): CofferError {
  return invalid(
    'page',
    'counts into a list whose tokens this session would have to check one by one; use the v2 operation',
  )
}

function tooFar(): CofferError {
  return invalid('page', 'is too far down this list; use the v2 operation')
}

function expiring(): CofferError {
  return new CofferError(
    'unavailable',
    'Many tokens have expired and are being deleted. Try again in a minute, or use the v2 operation.',
    { retry_after: 60 },
  )
}
