import { normalizeContainer } from '../../../../../shared/containers.ts'
import { createInvalidError } from '../../../../../shared/errors.ts'
import type { Find } from '../../../../../shared/find.ts'
import {
  findCountQuery,
  findCountResult,
  findIdsQuery,
  findIdsResult,
  findPageResult,
  findPlaceQuery,
  findPlaceResult,
  findQuery,
  suggestions,
  suggestQuery,
} from '../../../../../shared/find.ts'
import type { Token } from '../../../../../shared/schemas/token.ts'
import type { Context } from '../../../pipeline/context.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { AnswerBudget } from '../read/answer-budget.ts'
import { findToken } from '../store.ts'
import { readTermProgress } from '../terms/terms.ts'
import { createConditions, MAX_UNINDEXED_TOKENS } from './conditions.ts'
import { countList } from './count.ts'
import { readSeqBound } from './find-store.ts'
import {
  countExactly,
  createSearchPlan,
  createWalk,
  isDescending,
  type ListPosition,
  type SearchPlan,
  type SearchStep,
  type Walk,
  walkMatches,
} from './matches.ts'
import { type SkipStep, type SkipTarget, skipTokens } from './skip.ts'
import { listSuggestions } from './suggest.ts'

/** How long one request may search, in ms. It reads at least `MIN_SEARCH_STEPS` tokens even if that takes longer. */
const MAX_SEARCH_MS = 25
const MIN_SEARCH_STEPS = 20
/** How many tokens are tested before the time is checked while tokens are skipped. */
const MIN_SKIP_STEPS = 100
/** The maximum number of tokens that are counted one by one. */
const MAX_COUNTED_TOKENS = 10_000

export const find = defineOperation({
  summary: 'Find tokens by anything the owner can see about them',
  entity: 'token',
  input: findQuery,
  output: findPageResult,
  handler(context, { find, size, ...query }) {
    const budget = new AnswerBudget(context)
    const data: Token[] = []
    let next: ListPosition | null = null
    let last: ListPosition | null = null
    let previous: ListPosition | null = null
    for (const { row, position, isTimedOut } of searchTokens(
      context,
      find,
      createWalk(query.sort, query.start, query.backwards),
    )) {
      if (row) {
        const stored = data.length < size ? findToken(context.db, row.id, context.now) : undefined
        const presented = stored && budget.presentToken(stored, 'mask')
        if (presented) {
          data.push(presented)
          previous ??= position
        } else {
          next = last
          break
        }
      }
      last = position
      if (isTimedOut) {
        next = position
        break
      }
    }
    return {
      data,
      pagination: { next: formatPlace(next), previous: formatPlace(previous) },
      building: readIndexProgress(context),
    }
  },
})

export const findPlace = defineOperation({
  summary: 'Find a place in the list that find returns: after some tokens, or at a time',
  entity: 'token',
  input: findPlaceQuery,
  output: findPlaceResult,
  handler(context, { find, skip = Infinity, until, ...query }) {
    const plan = createTimedPlan(context, find)
    const walk = createWalk(query.sort, query.start, query.backwards)
    if (until !== undefined && walk.sort === 'container')
      throw createInvalidError('until', 'needs the sort newest or oldest')
    const target = { skip, until: until === undefined ? undefined : Date.parse(until) }
    const steps = skipTokens(plan, walk, target) ?? skipMatches(context, find, walk, plan, target)
    let skipped = 0
    let place = walk.after
    for (const step of steps) {
      skipped += step.skipped
      place = step.position
      const isTimedOut = performance.now() - plan.startedAt > MAX_SEARCH_MS
      if (isTimedOut && skipped < skip) return { place: formatPlace(place), skipped, isComplete: false }
    }
    return { place: formatPlace(place), skipped, isComplete: true }
  },
})

export const findCount = defineOperation({
  summary: 'Count the tokens that find returns, exactly or as a minimum',
  entity: 'token',
  input: findCountQuery,
  output: findCountResult,
  handler(context, { find, start }) {
    const plan = start === undefined && canUseCounters(find) ? null : createTimedPlan(context, find)
    const exact = plan ? start === undefined && countExactly(plan) : countWithCounters(context, find)
    if (typeof exact === 'number') return { total: exact, isExact: true, next: null }
    let total = 0
    const walk = createWalk('newest', start)
    for (const { row, position, isTimedOut } of searchTokens(context, find, walk, plan ?? undefined)) {
      if (row) total++
      if (total > MAX_COUNTED_TOKENS) return { total: MAX_COUNTED_TOKENS, isExact: false, next: null }
      if (isTimedOut) return { total, isExact: false, next: JSON.stringify(position) }
    }
    return { total, isExact: true, next: null }
  },
})

export const findIds = defineOperation({
  summary: 'List the ids of the tokens that find returns, newest first',
  entity: 'token',
  input: findIdsQuery,
  output: findIdsResult,
  handler(context, { find, start, size }) {
    const ids: string[] = []
    for (const { row, position, isTimedOut } of searchTokens(context, find, createWalk('newest', start))) {
      if (row) ids.push(row.id)
      if (isTimedOut || ids.length === size) return { ids, next: JSON.stringify(position) }
    }
    return { ids, next: null }
  },
})

export const suggest = defineOperation({
  summary: 'Suggest filters for a search text',
  entity: 'token',
  input: suggestQuery,
  output: suggestions,
  handler: (context, { text }) => ({ data: listSuggestions(context, text) }),
})

/** Walks the matching tokens. If `isTimedOut` is true, the response must end with this step. */
function* searchTokens(
  context: Context,
  find: Find,
  walk: Walk,
  plan = createTimedPlan(context, find),
): Generator<SearchStep & { readonly isTimedOut: boolean }> {
  let steps = 0
  for (const step of walkMatches(plan, walk)) {
    steps++
    yield {
      ...step,
      isTimedOut: steps >= MIN_SEARCH_STEPS && performance.now() - plan.startedAt > MAX_SEARCH_MS,
    }
  }
}

/** Skips the matching tokens of a search that has to test each of them. */
function* skipMatches(
  context: Context,
  find: Find,
  walk: Walk,
  plan: TimedSearchPlan,
  { skip, until }: SkipTarget,
): Generator<SkipStep> {
  const isReached = (at: number) => until !== undefined && (isDescending(walk) ? at <= until : at >= until)
  let [steps, skipped, left] = [0, 0, skip]
  let last: ListPosition | null = null
  for (const { row, position } of searchTokens(context, find, walk, plan)) {
    if (left === 0 || (row && isReached(row.created_at))) break
    if (row) skipped++
    if (row) left--
    last = position
    steps++
    if (steps % MIN_SKIP_STEPS > 0) continue
    yield { skipped, position }
    skipped = 0
  }
  if (last !== null) yield { skipped, position: last }
}

function formatPlace(position: ListPosition | null): string | null {
  return position === null ? null : JSON.stringify(position)
}

type TimedSearchPlan = SearchPlan & { readonly startedAt: number }

function createTimedPlan({ db, keyring, now }: Context, find: Find): TimedSearchPlan {
  const startedAt = performance.now()
  return { ...createSearchPlan(db, now, createConditions({ db, keyring }, find)), startedAt }
}

/** Whether the matches can be counted with the vault's counters alone. */
function canUseCounters({ container, type, ...otherTerms }: Find): boolean {
  return Object.values(otherTerms).every((each) => each === undefined)
}

function countWithCounters({ db, now }: Context, { container, type }: Find): number | null {
  const filter = type === undefined ? ({ by: 'all' } as const) : ({ by: 'type', type } as const)
  const scope = container === undefined ? undefined : normalizeContainer(container, 'find.container')
  return countList(db, { filter, container: scope, now })
}

function readIndexProgress({ db }: Context): { done: number; total: number } | null {
  const [done, total] = [readTermProgress(db), readSeqBound(db, 'max')]
  return total - done > MAX_UNINDEXED_TOKENS ? { done, total } : null
}
