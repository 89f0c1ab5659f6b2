import { type CofferError, createInvalidError } from '../../../shared/errors.ts'

/** The maximum work of all expressions of one request together, in the units of `consumeWork` (rule R-03). */
export const MAX_REQUEST_WORK = 2_097_152

/**
 * The remaining work of all expressions of one request (rule R-03). Without this limit, many expressions that each
 * stay within their own limits could together block other requests. Every context has a budget, which compiling and
 * evaluating consume.
 */
export class WorkBudget {
  #remaining: number
  #lastText: { readonly value: object; readonly text: string } | undefined

  constructor(limit: number = MAX_REQUEST_WORK) {
    this.#remaining = limit
  }

  /** The remaining work; negative once the limit was exceeded. */
  get remaining(): number {
    return this.#remaining
  }

  /** Subtracts work that was consumed from another budget. Unlike `consume`, never throws. */
  addExternalWork(work: number): void {
    this.#remaining -= work
  }

  /** Consumes work. Throws `invalid` if the work exceeds what remains, and then on every later call. */
  consume(work: number): void {
    this.#remaining -= work
    // SECURITY: written so that NaN is rejected too.
    if (!(this.#remaining >= 0)) throw createWorkError()
  }

  /**
   * Serializes an array or an object as compact JSON and consumes work for it. Caches the last result until the request
   * ends, because the fingerprint, the search indexes and the sealed value of a token often need the same JSON.
   */
  stringifyJson(value: object): string {
    if (this.#lastText?.value !== value) {
      const text = JSON.stringify(value)
      this.consume(text.length / 4)
      this.#lastText = { value, text }
    }
    return this.#lastText.text
  }
}

function createWorkError(): CofferError {
  return createInvalidError('', 'needs too much computation; use fewer or simpler expressions in one request')
}
