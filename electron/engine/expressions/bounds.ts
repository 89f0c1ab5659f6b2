import { countCodePoints } from '../../../shared/characters.ts'
import { type CofferError, createInvalidError } from '../../../shared/errors.ts'
import { WrittenNumber } from '../../../shared/json.ts'
import { Decimal, type Value } from './value.ts'
import type { WorkBudget } from './work-budget.ts'

/** The maximum length of an expression, in characters (rule E-01). */
export const MAX_SOURCE = 2_000

/** The maximum input and output of a standard filter, and of text with several expressions, in characters. */
export const MAX_STEP = 65_536

/** The maximum work of one evaluation, in characters processed; Coffer's own filters count a quarter per character. */
export const MAX_WORK = 1_048_576

/** The maximum output of a mask, and the maximum input and output of one of Coffer's own filters, in characters. */
export const MAX_VALUE = MAX_WORK * 4

/** The maximum number of expressions in a mask. */
export const MAX_LEAVES = 1_000
/** The maximum number of values in a mask: text, numbers, arrays and objects. */
export const MAX_VALUES = 10_000
/** How deep a mask may be nested. */
export const MAX_DEPTH = 64

/**
 * The budget of one evaluation, and what the evaluation found. Work is counted rather than timed, so that an
 * expression accepted today is never rejected on a slower machine.
 */
export type EvaluationBudget = {
  /** The remaining work of the whole request. */
  readonly work: WorkBudget
  remaining: number
  /** Whether an expression names a missing value that no `default` replaces. */
  missing: boolean
  /** Collects the value of each expression, if set. */
  readonly values?: Value[]
}

/** Creates the budget of one evaluation, which also consumes the work of its request (case X-21, rule R-03). */
export function createEvaluationBudget(work: WorkBudget): EvaluationBudget {
  return { work, remaining: MAX_WORK, missing: false }
}

/** Creates the error of an expression that exceeds a bound (case X-21). */
export function createBoundsError(): CofferError {
  return createInvalidError(
    '',
    'exceeds a limit of expressions, such as 65,536 characters per standard filter or 1,048,576 characters processed in total',
  )
}

/** Consumes work of the evaluation and of its request. Throws `invalid` when either is used up. */
export function consumeWork(budget: EvaluationBudget, work: number): void {
  budget.remaining -= work
  // SECURITY: written so that NaN is rejected too.
  if (!(budget.remaining >= 0)) throw createBoundsError()
  budget.work.consume(work)
}

/**
 * Rejects a value that is too large for one step. Deducts the cost of measuring the value from the work of the request
 * (rule R-03), because other expressions of the request may be evaluated next.
 */
export function rejectStep({ work }: EvaluationBudget): never {
  work.consume(MAX_WORK / 4)
  throw createBoundsError()
}

/** Measures a value in characters, plus eight per item or property; stops counting soon after `limit`. */
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
