import { invalid } from '../../../../shared/errors.ts'
import type { TokenSort } from '../../../../shared/find.ts'
import { comparePositions, type Position } from '../../../../shared/token-order.ts'
import type { Database } from '../../db/open.ts'
import type { Condition } from './conditions.ts'
import { endOf, expiredSeqs, findLight, findPlacedAfter, type LightRow, lightBetween } from './find-store.ts'

/** Up to this many tokens are sorted by container; of more, the vault's own order is walked. */
const MOST_SORTED = 3_000
/** The most expired tokens that are left out at once. */
const MOST_EXPIRED = 5_000
/** How many places of the order of creation, and of the order of every list, are looked at in one go. */
const CHUNK = 1_000

/** What a search found out before it looks at any token. */
export type Plan = {
  readonly db: Database
  readonly now: number
  /** The places of all tokens that can match; null where they are too many to collect. */
  readonly places: ReadonlySet<number> | null
  /** What remains to be tested of each of them. */
  readonly rest: readonly Condition[]
}

/** Collects what can be collected of a search. */
export function planOf(db: Database, now: number, conditions: readonly Condition[]): Plan {
  let places: Set<number> | null = null
  const rest: Condition[] = []
  for (const condition of conditions) {
    const found = condition.collect()
    if (found === null) rest.push(condition)
    else {
      places = places === null ? found : intersection(places, found)
      if (!condition.isExact) rest.push(condition)
      if (places.size === 0) return { db, now, places, rest: [] }
    }
  }
  return { db, now, places: places && withoutExpired(db, places, now), rest }
}

function intersection(a: Set<number>, b: Set<number>): Set<number> {
  const [small, large] = a.size < b.size ? [a, b] : [b, a]
  return new Set([...small].filter((each) => large.has(each)))
}

/** Expired tokens are not found (rule T-14). More of them than are read here are left out one by one. */
function withoutExpired(db: Database, places: Set<number>, now: number): Set<number> {
  for (const seq of expiredSeqs(db, now, MOST_EXPIRED)) places.delete(seq)
  return places
}

/** How many tokens match, where that needs no look at them; null where it does. */
export function countOf({ db, now, places, rest }: Plan): number | null {
  if (places === null || rest.length > 0) return null
  const areAllOut = expiredSeqs(db, now, MOST_EXPIRED).length < MOST_EXPIRED
  return areAllOut ? places.size : null
}

/** A place in an order: of creation, or of every list. */
export type Place = number | Position

/** Returns the place that an answer ended at. Throws `invalid` if it is none of this order. */
export function placeOf(start: string | undefined, sort: TokenSort): Place | null {
  if (start === undefined) return null
  const wrong = invalid('start', 'is not where an answer to this question ended')
  let place: unknown
  try {
    place = JSON.parse(start)
  } catch {
    throw wrong
  }
  if (sort !== 'container') {
    if (typeof place === 'number' && Number.isSafeInteger(place)) return place
    throw wrong
  }
  if (!Array.isArray(place) || place.length !== 3) throw wrong
  const [container, created_at, id] = place as unknown[]
  if (typeof container !== 'string' || typeof created_at !== 'number' || typeof id !== 'string') throw wrong
  return [container, created_at, id]
}

/** A look at a token or at a run of them: the one that matches, if any, and the place to continue after. */
export type Look = { readonly row: LightRow | null; readonly place: Place }

/**
 * Walks the tokens that match in an order, after a place. Yields at every look, so that its caller can bound the walk.
 * Nothing may be written before the loop was left.
 */
export function* matching(plan: Plan, sort: TokenSort, after: Place | null): Generator<Look> {
  if (sort === 'container') yield* byContainer(plan, after as Position | null)
  else if (plan.places) yield* bySeqs(plan, plan.places, sort, after as number | null)
  else yield* throughAll(plan, sort, after as number | null)
}

function isMatch({ now, rest }: Plan, row: LightRow): boolean {
  return (row.expires_at === null || row.expires_at > now) && rest.every(({ test }) => test(row))
}

function look(plan: Plan, row: LightRow | undefined, place: Place): Look {
  return { row: row && isMatch(plan, row) ? row : null, place }
}

function* bySeqs(
  plan: Plan,
  places: ReadonlySet<number>,
  sort: 'newest' | 'oldest',
  after: number | null,
): Generator<Look> {
  const way = sort === 'newest' ? -1 : 1
  const seqs = Float64Array.from(places).sort()
  if (way < 0) seqs.reverse()
  for (const seq of seqs) {
    if (after !== null && (seq - after) * way <= 0) continue
    yield look(plan, findLight(plan.db, seq), seq)
  }
}

/** Looks at every token in the order of creation, except those that SQL can tell do not match. */
function* throughAll(plan: Plan, sort: 'newest' | 'oldest', after: number | null): Generator<Look> {
  const { db, rest } = plan
  const isDown = sort === 'newest'
  const conditions = rest.flatMap(({ where }) => where ?? [])
  const [first, last] = [endOf(db, 'min'), endOf(db, 'max')]
  let at = isDown ? Math.min(last, (after ?? Infinity) - 1) : Math.max(first, (after ?? -Infinity) + 1)
  while (at >= first && at <= last && last > 0) {
    const end = isDown ? Math.max(first, at - CHUNK + 1) : Math.min(last, at + CHUNK - 1)
    const range = isDown ? ([end, at] as const) : ([at, end] as const)
    for (const row of lightBetween(db, range, isDown ? 'DESC' : 'ASC', conditions))
      yield look(plan, row, row.seq)
    yield { row: null, place: end }
    at = isDown ? end - 1 : end + 1
  }
}

function* byContainer(plan: Plan, after: Position | null): Generator<Look> {
  const { db, places } = plan
  if (places !== null && places.size <= MOST_SORTED) return yield* sorted(plan, places, after)
  let position = after
  while (true) {
    const keys = findPlacedAfter(db, position, CHUNK)
    for (const { container, created_at, id, seq } of keys) {
      position = [container, created_at, id]
      if (places === null || places.has(seq)) yield look(plan, findLight(db, seq), position)
    }
    if (keys.length < CHUNK) return
    if (position) yield { row: null, place: position }
  }
}

function* sorted(plan: Plan, places: ReadonlySet<number>, after: Position | null): Generator<Look> {
  const { db } = plan
  const rows = [...places].flatMap((seq) => {
    const row = findLight(db, seq)
    return row ? [{ row, position: [row.container, row.created_at, row.id] as const }] : []
  })
  rows.sort((a, b) => comparePositions(a.position, b.position))
  for (const { row, position } of rows) {
    if (after === null || comparePositions(position, after) > 0) yield look(plan, row, position)
  }
}
