import { type CofferError, createInvalidError } from '../../../shared/errors.ts'
import type { Template } from './template.ts'

/** The work that all expressions of one request may do together, in the units of `spend` in `bounds.ts` (rule R-03). */
export const MAX_REQUEST_WORK = 2_097_152

/**
 * The work that the expressions of one request may still do (rule R-03), so that many expressions that are allowed one
 * by one do not hold up other requests. Every context has one; compiling and evaluating spend from it.
 */
export class WorkBudget {
  #remaining: number
  #lastText: { readonly value: object; readonly text: string } | undefined
  #templates: Map<string, Template> | undefined

  constructor(limit: number = MAX_REQUEST_WORK) {
    this.#remaining = limit
  }

  /** What is left; below 0 once too much was asked for. */
  get remaining(): number {
    return this.#remaining
  }

  /** Takes work that was done elsewhere. */
  addExternalWork(work: number): void {
    this.#remaining -= work
  }

  /** Takes work. Throws `invalid` when it is used up; every later call throws too. */
  consume(work: number): void {
    this.#remaining -= work
    // SECURITY: written so that NaN is refused too.
    if (!(this.#remaining >= 0)) throw createWorkError()
  }

  /**
   * A list or an object as compact JSON, which is work for the request. The last one is remembered until the request
   * is answered: fingerprint, search indexes and the sealed value of a token are often the same text.
   */
  stringifyJson(value: object): string {
    if (this.#lastText?.value !== value) {
      const text = JSON.stringify(value)
      this.consume(text.length / 4)
      this.#lastText = { value, text }
    }
    return this.#lastText.text
  }

  /** What the request compiled before from a source: it pays for each source once, whatever other requests compile. */
  findTemplate(source: string): Template | undefined {
    return this.#templates?.get(source)
  }

  /** Remembers what a source was compiled to. */
  storeTemplate(source: string, template: Template): void {
    this.#templates ??= new Map()
    this.#templates.set(source, template)
  }
}

function createWorkError(): CofferError {
  return createInvalidError(
    '',
    'would take the expressions of this request past the work that one request may ask for',
  )
}
