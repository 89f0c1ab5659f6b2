import { CofferError, createInvalidError } from '../../../../../shared/errors.ts'
import { countRowsBefore, toOffsetPage } from '../../../../../shared/offset-page.ts'
import type { Permission } from '../../../../../shared/permissions.ts'
import type { Token } from '../../../../../shared/schemas/token.ts'
import { decideReading, hasConditions } from '../../../access/access.ts'
import { getScopes } from '../../../access/scopes.ts'
import type { Context } from '../../../pipeline/context.ts'
import { findToken } from '../store.ts'
import { AnswerBudget } from './answer-budget.ts'
import {
  buildSource,
  type Candidates,
  countTokens,
  findPage,
  hasManyExpired,
  hasManyMembers,
  type ReadScope,
  type SelectSource,
} from './offset-store.ts'
import { toSubject } from './require-token.ts'
import { findIdsNamedByRules } from './rule-ids.ts'
import { computeScanCost, MAX_SCAN_COST } from './scan-cost.ts'

/**
 * Returns a numbered page of the candidates that the caller may read, newest first. The total counts only those
 * (rules L-05, L-06, P-09). Throws `invalid` if it would take too long to count them or to find the page. A
 * numbered page cannot end early, and must not state a total that is not known (rule R-03).
 */
export function listOffsetPage(
  context: Context,
  candidates: Candidates,
  { page, size }: { page: number; size: number },
  ...permissions: readonly Permission[]
) {
  const { db, actor, now } = context
  const source = buildSource(db, narrowCandidates(context, candidates, permissions))
  const readable = toReadScope(context, permissions)
  if (source === undefined || hasManyMembers(db, readable)) throw listTooLongError()
  if (hasManyExpired(db, now)) throw createManyExpiredError()
  const find = hasConditions(actor) ? findIdsOneByOne : findIdsTogether
  const query = { readable, size, offset: countRowsBefore({ page, size }), permissions }
  const { ids, total } = find(context, source, query)
  if (ids.length < Math.min(size, total - query.offset)) throw createPageTooFarError()
  return toOffsetPage(presentTokens(context, ids, permissions), total, page, size)
}

/** Narrows a list of all tokens to those that the rules name. A filtered list may be shorter, so it stays. */
function narrowCandidates(
  { db, actor }: Context,
  candidates: Candidates,
  permissions: readonly Permission[],
): Candidates {
  const { ids, metadata = [], index } = candidates
  if (ids || metadata.length > 0 || index) return candidates
  const ruleIds = findIdsNamedByRules(db, actor, permissions)
  return ruleIds ? { ids: ruleIds } : candidates
}

/**
 * Returns the scopes that the caller may read. If a session has conditions and its scopes have too many members,
 * returns the scope of all tokens, because the conditions are checked on each token anyway.
 */
function toReadScope({ db, actor, now }: Context, permissions: readonly Permission[]): ReadScope {
  const readable = { scopes: getScopes(actor, ...permissions), now }
  return hasConditions(actor) && hasManyMembers(db, readable) ? { scopes: ['/'], now } : readable
}

type OffsetListQuery = {
  readonly readable: ReadScope
  readonly size: number
  readonly offset: number
  readonly permissions: readonly Permission[]
}
type OffsetPageIds = { readonly ids: readonly string[]; readonly total: number }

function findIdsTogether(
  { db }: Context,
  source: SelectSource,
  { readable, size, offset }: OffsetListQuery,
): OffsetPageIds {
  const total = countTokens(db, source, readable)
  if (total === null) throw listTooLongError()
  return { ids: offset < total ? findPage(db, source, readable, size, offset) : [], total }
}

/** Checks access to each token on its own, for a session whose conditions may depend on token ids. */
function findIdsOneByOne(
  context: Context,
  source: SelectSource,
  { readable, size, offset, permissions }: OffsetListQuery,
): OffsetPageIds {
  const { db, actor, now } = context
  const max = countTokens(db, source, readable)
  if (max === null || max > MAX_SCAN_COST) throw createTooManyToCheckError()
  const candidates = findPage(db, source, readable, max, 0)
  if (candidates.length < max) throw createPageTooFarError()
  let scanCost = 0
  const ids = candidates.filter((id) => {
    if (scanCost >= MAX_SCAN_COST) throw createTooManyToCheckError()
    const row = findToken(db, id, now)
    scanCost += computeScanCost(row, actor)
    return row && decideReading(actor, permissions, toSubject(row))
  })
  return { ids: ids.slice(offset, offset + size), total: ids.length }
}

function presentTokens(
  context: Context,
  ids: readonly string[],
  permissions: readonly Permission[],
): Token[] {
  const budget = new AnswerBudget(context)
  return ids.flatMap((id): Token[] => {
    const row = findToken(context.db, id, context.now)
    const grant = row && decideReading(context.actor, permissions, toSubject(row))
    if (!grant) return []
    const token = budget.presentToken(row, grant.transform)
    if (!token) throw createPageTooLargeError()
    return [token]
  })
}

function createPageTooLargeError(): CofferError {
  return createInvalidError(
    'size',
    'is too large: the tokens of this page exceed 2 MiB, or their masks need too much computation; use a smaller size or the v2 operation',
  )
}

function listTooLongError(): CofferError {
  return createInvalidError(
    'page',
    'is not available, because the list is too long to number its pages; use the v2 operation',
  )
}

function createTooManyToCheckError(): CofferError {
  return createInvalidError(
    'page',
    'is not available, because too many tokens would have to be checked one by one for this session; use the v2 operation',
  )
}

function createPageTooFarError(): CofferError {
  return createInvalidError('page', 'is too far down this list; use the v2 operation')
}

function createManyExpiredError(): CofferError {
  return new CofferError(
    'unavailable',
    'Many tokens have expired and are being deleted. Try again in a minute, or use the v2 operation.',
    { retry_after: 60 },
  )
}
