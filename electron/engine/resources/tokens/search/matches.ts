import { createInvalidError } from '../../../../../shared/errors.ts'
import type { TokenSort } from '../../../../../shared/find.ts'
import { comparePositions, type Position } from '../../../../../shared/token-order.ts'
import type { Database } from '../../../db/open.ts'
import type { TokenCondition } from './conditions.ts'
import {
  findLightRow,
  iterateLightRows,
  type LightRow,
  listExpiredSeqs,
  listPlacementsAfter,
  readSeqBound,
} from './find-store.ts'

/** The maximum number of candidates tested one by one. For more, the next condition is collected first. */
const MAX_TESTED_ONE_BY_ONE = 200
/** The maximum number of tokens that are sorted by container in memory. For more, the container index is walked. */
const MAX_SORTED_TOKENS = 3_000
/** The maximum number of expired tokens that are removed before the walk. */
const MAX_EXPIRED_TOKENS = 5_000
/** The number of rows that one query of a walk reads. */
const CHUNK_ROWS = 1_000

/** A search that is prepared, but has not read any token yet. */
export type SearchPlan = {
  readonly db: Database
  readonly now: number
  /** The `seq` of all tokens that can match; null if there are too many to collect. */
  readonly candidates: ReadonlySet<number> | null
  readonly rest: readonly TokenCondition[]
}

/** Prepares a search: intersects the conditions that can be collected. The others are tested on each token later. */
export function createSearchPlan(
  db: Database,
  now: number,
  conditions: readonly TokenCondition[],
): SearchPlan {
  let candidates: Set<number> | null = null
  const rest: TokenCondition[] = []
  for (const condition of conditions) {
    // Testing so few tokens is faster than collecting another condition.
    const isSmall: boolean = candidates !== null && candidates.size <= MAX_TESTED_ONE_BY_ONE
    const collected: Set<number> | null = isSmall ? null : condition.collect()
    if (collected === null || !condition.isExact) rest.push(condition)
    if (collected === null) continue
    candidates = candidates === null ? collected : intersectSets(candidates, collected)
    if (candidates.size === 0) return { db, now, candidates, rest: [] }
  }
  return { db, now, candidates: candidates && removeExpired(db, candidates, now), rest }
}

function intersectSets(a: Set<number>, b: Set<number>): Set<number> {
  const [small, large] = a.size < b.size ? [a, b] : [b, a]
  return new Set([...small].filter((each) => large.has(each)))
}

/** Removes expired tokens (rule T-14). Beyond `MAX_EXPIRED_TOKENS`, the walk skips the others. */
function removeExpired(db: Database, candidates: Set<number>, now: number): Set<number> {
  for (const seq of listExpiredSeqs(db, now, MAX_EXPIRED_TOKENS)) candidates.delete(seq)
  return candidates
}

/** Returns the number of matching tokens if it is known without reading tokens; otherwise null. */
export function countExactly({ db, now, candidates, rest }: SearchPlan): number | null {
  if (candidates === null || rest.length > 0) return null
  const isExpiryComplete = listExpiredSeqs(db, now, MAX_EXPIRED_TOKENS).length < MAX_EXPIRED_TOKENS
  return isExpiryComplete ? candidates.size : null
}

/** The position where a page ended: a `seq` in the order of creation, or a position in the order of lists. */
export type ListPosition = number | Position

/** Where a walk starts, in which order, and whether it goes through that order backwards. */
export type Walk = CreationWalk | ContainerWalk
export type CreationWalk = {
  readonly sort: Exclude<TokenSort, 'container'>
  readonly after: number | null
  readonly isBackwards: boolean
}
export type ContainerWalk = {
  readonly sort: 'container'
  readonly after: Position | null
  readonly isBackwards: boolean
}

/** Returns a walk that starts after the `next` of an earlier page. Throws `invalid` if that is of another sort order. */
export function createWalk(sort: TokenSort, start: string | undefined, isBackwards = false): Walk {
  const position = start === undefined ? null : parseStart(start)
  if (sort === 'container') {
    if (position === null || isPosition(position)) return { sort, after: position, isBackwards }
  } else if (position === null || (typeof position === 'number' && Number.isSafeInteger(position))) {
    return { sort, after: position, isBackwards }
  }
  throw createStartError()
}

const createStartError = () => createInvalidError('start', 'is not a pagination.next of this search')

/** Parses a `next`. `null`, which is none, stays invalid. */
function parseStart(start: string): unknown {
  try {
    return JSON.parse(start) ?? undefined
  } catch {
    throw createStartError()
  }
}

function isPosition(value: unknown): value is Position {
  if (!Array.isArray(value) || value.length !== 3) return false
  return typeof value[0] === 'string' && typeof value[1] === 'number' && typeof value[2] === 'string'
}

/** One step of a walk over one or more tokens: the matching row, if any, and the position to continue after. */
export type SearchStep = { readonly row: LightRow | null; readonly position: ListPosition }

/** Whether a walk goes from newer to older tokens. */
export function isDescending({ sort, isBackwards }: Walk): boolean {
  return (sort === 'newest') !== isBackwards
}

/**
 * Walks the matching tokens in a sort order, after a position. Yields at every step, even without a match, so that
 * the caller can limit the walk. The caller must not write to the database inside the loop.
 */
export function* walkMatches(plan: SearchPlan, walk: Walk): Generator<SearchStep> {
  if (walk.sort === 'container') return yield* walkByContainer(plan, walk.after, walk.isBackwards)
  const isDown = isDescending(walk)
  if (plan.candidates) yield* walkCollected(plan, plan.candidates, isDown, walk.after)
  else yield* walkAll(plan, isDown, walk.after)
}

function isMatch({ now, rest }: SearchPlan, row: LightRow): boolean {
  return (row.expires_at === null || row.expires_at > now) && rest.every(({ test }) => test(row))
}

function toSearchStep(plan: SearchPlan, row: LightRow | undefined, position: ListPosition): SearchStep {
  return { row: row && isMatch(plan, row) ? row : null, position }
}

function* walkCollected(
  plan: SearchPlan,
  candidates: ReadonlySet<number>,
  isDown: boolean,
  after: number | null,
): Generator<SearchStep> {
  for (const seq of sortSeqs(candidates, isDown, after))
    yield toSearchStep(plan, findLightRow(plan.db, seq), seq)
}

/** Sorts the collected tokens after a position by creation. */
export function sortSeqs(
  candidates: ReadonlySet<number>,
  isDown: boolean,
  after: number | null,
): Float64Array {
  const isAfter = (seq: number) => after === null || (isDown ? seq < after : seq > after)
  const seqs = Float64Array.from(candidates).sort()
  if (isDown) seqs.reverse()
  return seqs.subarray(Math.max(0, after === null ? 0 : findFirst(seqs, isAfter)))
}

function findFirst(seqs: Float64Array, isWanted: (seq: number) => boolean): number {
  const index = seqs.findIndex(isWanted)
  return index < 0 ? seqs.length : index
}

/** Reads the tokens in the order of creation, except those that the conditions in SQL exclude. */
function* walkAll(plan: SearchPlan, isDown: boolean, after: number | null): Generator<SearchStep> {
  const { db, rest } = plan
  const conditions = rest.flatMap(({ where }) => where ?? [])
  const [first, last] = [readSeqBound(db, 'min'), readSeqBound(db, 'max')]
  let at = isDown ? Math.min(last, (after ?? Infinity) - 1) : Math.max(first, (after ?? -Infinity) + 1)
  const order = isDown ? 'DESC' : 'ASC'
  while (at >= first && at <= last && last > 0) {
    const end = isDown ? Math.max(first, at - CHUNK_ROWS + 1) : Math.min(last, at + CHUNK_ROWS - 1)
    const range = isDown ? ([end, at] as const) : ([at, end] as const)
    for (const row of iterateLightRows(db, range, order, conditions)) yield toSearchStep(plan, row, row.seq)
    yield { row: null, position: end }
    at = isDown ? end - 1 : end + 1
  }
}

function* walkByContainer(
  plan: SearchPlan,
  after: Position | null,
  isBackwards: boolean,
): Generator<SearchStep> {
  const { db, candidates } = plan
  if (candidates !== null && candidates.size <= MAX_SORTED_TOKENS)
    return yield* walkSorted(plan, candidates, after, isBackwards)
  let position = after
  while (true) {
    const keys = listPlacementsAfter(db, position, CHUNK_ROWS, isBackwards)
    for (const { container, created_at, id, seq } of keys) {
      position = [container, created_at, id]
      if (candidates === null || candidates.has(seq))
        yield toSearchStep(plan, findLightRow(db, seq), position)
    }
    if (keys.length < CHUNK_ROWS) return
    if (position) yield { row: null, position }
  }
}

function* walkSorted(
  plan: SearchPlan,
  candidates: ReadonlySet<number>,
  after: Position | null,
  isBackwards: boolean,
): Generator<SearchStep> {
  const { db } = plan
  const compareTo = (a: Position, b: Position) => comparePositions(a, b) * (isBackwards ? -1 : 1)
  const rows = [...candidates].flatMap((seq) => {
    const row = findLightRow(db, seq)
    return row ? [{ row, position: [row.container, row.created_at, row.id] as const }] : []
  })
  rows.sort((a, b) => compareTo(a.position, b.position))
  for (const { row, position } of rows) {
    if (after === null || compareTo(position, after) > 0) yield toSearchStep(plan, row, position)
  }
}
