import { countCodePoints } from '../../../shared/characters.ts'
import { type CofferError, createInvalidError } from '../../../shared/errors.ts'
import { WrittenNumber } from '../../../shared/json.ts'
import { Decimal, type Value } from './value.ts'
import type { WorkBudget } from './work-budget.ts'

/** The longest expression, in characters (rule E-01). */
export const MAX_SOURCE = 2_000

/** The most a standard filter takes or returns, and the most text around and from several expressions, in characters. */
export const MAX_STEP = 65_536

/** The work of one evaluation, in characters processed; Coffer's own filters count a quarter per character. */
export const MAX_WORK = 1_048_576

/** The most a whole mask yields, and the most one of Coffer's own filters takes or returns, in characters. */
export const MAX_VALUE = MAX_WORK * 4

/** The most expressions in one mask, and the deepest they may be nested. */
export const MAX_LEAVES = 1_000
/** The most values in one mask: texts, numbers, lists, objects. */
export const MAX_VALUES = 10_000
export const MAX_DEPTH = 64

/**
 * One evaluation: the work it may still do, in characters processed, and what it found. Work is counted rather than
 * timed, so that an expression accepted today is never refused on a slower machine.
 */
export type EvaluationBudget = {
  /** What the whole request may still do. */
  readonly work: WorkBudget
  remaining: number
  /** Something an expression names is missing, and no `default` replaces it. */
  missing: boolean
  /** Collects the value of each expression, if a list is given. */
  readonly values?: Value[]
}

/** Returns the full budget of one evaluation, which also spends from its request's work (case X-21, rule R-03). */
export function createEvaluationBudget(work: WorkBudget): EvaluationBudget {
  return { work, remaining: MAX_WORK, missing: false }
}

/** The error of an expression that asks for too much (case X-21). */
export function createBoundsError(): CofferError {
  return createInvalidError('', 'asks for more text or work than an expression may')
}

/** Takes work from the budget and from the request's; throws when either is used up. */
export function consumeWork(budget: EvaluationBudget, work: number): void {
  budget.remaining -= work
  // SECURITY: written so that NaN is refused too.
  if (!(budget.remaining >= 0)) throw createBoundsError()
  budget.work.consume(work)
}

/**
 * Refuses a value that is too large for one step. Finding that out takes time too, so the request pays for it (rule
 * other expressions of the request may go on to try.
 */
export function rejectStep({ work }: EvaluationBudget): never {
  work.consume(MAX_WORK / 4)
  throw createBoundsError()
}

/** The size of a value in characters, plus eight per member; stops counting soon after `limit`. */
export function measureSize(value: Value, limit: number): number {
  if (typeof value === 'string') return countCodePoints(value)
  if (typeof value !== 'object' || value === null || value instanceof Decimal) return 8
  if (value instanceof Uint8Array) return value.length
  if (value instanceof WrittenNumber) return String(value).length
  let size = 0
  if (Array.isArray(value)) {
    for (const item of value) {
      size += 8 + measureSize(item, limit - size)
      if (size > limit) break
    }
    return size
  }
  for (const key in value) {
    size += 8 + key.length + measureSize(value[key] ?? null, limit - size)
    if (size > limit) break
  }
  return size
}
