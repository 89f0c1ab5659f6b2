import { lengthOf } from '../../../shared/characters.ts'
import { type CofferError, invalid } from '../../../shared/errors.ts'
import { WrittenNumber } from '../../../shared/json.ts'
import { Decimal, type Value } from './value.ts'

/** Longest expression, in characters (rule E-01). */
export const MAX_SOURCE = 2_000

/** Most a standard filter takes or gives, and most text around and from several expressions, in characters. */
export const MAX_STEP = 65_536

/** Work of one evaluation, in characters gone over; a filter of Coffer's own counts a quarter for each. */
export const MAX_WORK = 1_048_576

/** Most a whole mask gives, and most a filter of Coffer's own takes or gives within its work, in characters. */
export const MAX_VALUE = MAX_WORK * 4

/** Most expressions in one mask, and how deep they may stand. */
export const MAX_LEAVES = 1_000
export const MAX_DEPTH = 64

/**
 * One evaluation: the work it may still do, in characters passed over, and what it found. Work is counted rather
 * than timed, so that an expression that is accepted today is never refused on a slower machine.
 */
export type Budget = {
  left: number
  /** Something an expression names is not there, and no `default` stands in for it. */
  missing: boolean
  /** The value of each expression, for those who ask for it by giving a list. */
  readonly values?: Value[]
}

export function newBudget(): Budget {
  return { left: MAX_WORK, missing: false }
}

/** The error of an expression that asks for too much (case X-21). */
export function tooMuch(): CofferError {
  return invalid('', 'asks for more text or work than an expression may')
}

/** Takes work from the budget, or throws when it is used up. */
export function spend(budget: Budget, work: number): void {
  budget.left -= work
  // SECURITY: written so that NaN is refused too.
  if (!(budget.left >= 0)) throw tooMuch()
}

/** The size of a value in characters, each member counted as eight more; counting ends soon after `limit`. */
export function sizeOf(value: Value, limit: number): number {
  if (typeof value === 'string') return lengthOf(value)
  if (typeof value !== 'object' || value === null || value instanceof Decimal) return 8
  if (value instanceof Uint8Array) return value.length
  if (value instanceof WrittenNumber) return String(value).length
  let size = 0
  if (Array.isArray(value)) {
    for (const item of value) {
      size += 8 + sizeOf(item, limit - size)
      if (size > limit) break
    }
    return size
  }
  for (const key in value) {
    size += 8 + key.length + sizeOf(value[key] ?? null, limit - size)
    if (size > limit) break
  }
  return size
}
