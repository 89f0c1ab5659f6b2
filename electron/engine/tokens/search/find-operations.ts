import type { Find, TokenSort } from '../../../../shared/find.ts'
import {
  findCountQuery,
  findIdsQuery,
  findQuery,
  foundCount,
  foundIds,
  foundPage,
  suggestions,
  suggestQuery,
} from '../../../../shared/find.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import type { Context } from '../../door/context.ts'
import { operation } from '../../door/operation.ts'
import { Room } from '../read/room.ts'
import { findToken } from '../store.ts'
import { termedUpTo } from '../terms/terms.ts'
import { conditionsOf, MOST_UNTERMED } from './conditions.ts'
import { countList } from './count.ts'
import { endOf } from './find-store.ts'
import { countOf, type Look, matching, type Place, placeOf, planOf } from './matches.ts'
import { suggestionsFor } from './suggest.ts'

/** How long an answer may look for tokens; it always looks at some. */
const LOOKING_MS = 25
const LEAST_LOOKS = 20
/** More tokens than this are not counted one by one. */
const MOST_COUNTED = 10_000

export const find = operation({
  summary: 'Find tokens by everything the owner sees of them',
  route: null,
  permission: 'owner',
  entity: 'token',
  effect: 'read',
  status: 200,
  input: findQuery,
  output: foundPage,
  handler(context, { find, sort, size, start }) {
    const room = new Room(context)
    const data: Token[] = []
    let next: Place | null = null
    let last: Place | null = null
    for (const { row, place, isLate } of looks(context, find, sort, start)) {
      if (row) {
        const stored = data.length < size ? findToken(context.db, row.id, context.now) : undefined
        const shown = stored && room.show(stored, 'mask')
        if (shown) data.push(shown)
        else {
          next = last
          break
        }
      }
      last = place
      if (isLate) {
        next = place
        break
      }
    }
    return {
      data,
      pagination: { next: next === null ? null : JSON.stringify(next) },
      building: buildingOf(context),
    }
  },
})

export const findCount = operation({
  summary: 'Count what find finds, or say how many there are at least',
  route: null,
  permission: 'owner',
  entity: 'token',
  effect: 'read',
  status: 200,
  input: findCountQuery,
  output: foundCount,
  handler(context, { find, start }) {
    const exact = start === undefined ? exactCount(context, find) : null
    if (exact !== null) return { total: exact, isExact: true, next: null }
    let total = 0
    for (const { row, place, isLate } of looks(context, find, 'newest', start)) {
      if (row) total++
      if (total > MOST_COUNTED) return { total: MOST_COUNTED, isExact: false, next: null }
      if (isLate) return { total, isExact: false, next: JSON.stringify(place) }
    }
    return { total, isExact: true, next: null }
  },
})

export const findIds = operation({
  summary: 'List the ids of what find finds, newest first',
  route: null,
  permission: 'owner',
  entity: 'token',
  effect: 'read',
  status: 200,
  input: findIdsQuery,
  output: foundIds,
  handler(context, { find, start, size }) {
    const ids: string[] = []
    for (const { row, place, isLate } of looks(context, find, 'newest', start)) {
      if (row) ids.push(row.id)
      if (isLate || ids.length === size) return { ids, next: JSON.stringify(place) }
    }
    return { ids, next: null }
  },
})

export const suggest = operation({
  summary: 'Suggest what a typed text may stand for',
  route: null,
  permission: 'owner',
  entity: 'token',
  effect: 'read',
  status: 200,
  input: suggestQuery,
  output: suggestions,
  handler: (context, { text }) => ({ data: suggestionsFor(context, text) }),
})

/** Walks what matches; a look is late where the answer must end with it. */
function* looks(
  { db, keyring, now }: Context,
  find: Find,
  sort: TokenSort,
  start: string | undefined,
): Generator<Look & { readonly isLate: boolean }> {
  const began = performance.now()
  const plan = planOf(db, now, conditionsOf({ db, keyring }, find))
  let looked = 0
  for (const look of matching(plan, sort, placeOf(start, sort))) {
    looked++
    yield { ...look, isLate: looked >= LEAST_LOOKS && performance.now() - began > LOOKING_MS }
  }
}

/** The count that counters and indexes give, however many there are; null where they do not. */
function exactCount({ db, keyring, now }: Context, find: Find): number | null {
  const { container, type, ...others } = find
  if (Object.values(others).every((each) => each === undefined)) {
    const filter = type === undefined ? ({ by: 'all' } as const) : ({ by: 'type', type } as const)
    return countList(db, { filter, container: container?.toLowerCase(), now })
  }
  return countOf(planOf(db, now, conditionsOf({ db, keyring }, find)))
}

function buildingOf({ db }: Context): { done: number; total: number } | null {
  const [done, total] = [termedUpTo(db), endOf(db, 'max')]
  return total - done > MOST_UNTERMED ? { done, total } : null
}
