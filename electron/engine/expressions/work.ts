import { type CofferError, invalid } from '../../../shared/errors.ts'

/** The work that all expressions of one request may do together, in the units of `spend` in `bounds.ts` (rule R-03). */
export const MAX_REQUEST_WORK = 4_194_304

/**
 * The work that the expressions of one request may still do (rule R-03), so that many expressions that are allowed one
 * by one do not hold up other requests. Every context has one, and each evaluation spends from it.
 */
export class Work {
  #left: number

  constructor(limit: number = MAX_REQUEST_WORK) {
    this.#left = limit
  }

  /** What is left; below 0 once too much was asked for. */
  get left(): number {
    return this.#left
  }

  /** Takes work that was done elsewhere. */
  spent(work: number): void {
    this.#left -= work
  }

  /** Takes work. Throws `invalid` when it is used up; every later call throws too. */
  spend(work: number): void {
    this.#left -= work
    // SECURITY: written so that NaN is refused too.
    if (!(this.#left >= 0)) throw usedUp()
  }
}

function usedUp(): CofferError {
  return invalid('', 'would take the expressions of this request past the work that one request may ask for')
}
