import { type CofferError, createInvalidError } from '../../../shared/errors.ts'
import type { Template } from './template.ts'

/** The maximum work of all expressions of one request together, in the units of `consumeWork` (rule R-03). */
export const MAX_REQUEST_WORK = 2_097_152

/**
 * The remaining work of all expressions of one request (rule R-03), so that many expressions, each within its own
 * bounds, do not block other requests. Every context has one; compiling and evaluating consume it.
 */
export class WorkBudget {
  #remaining: number
  #lastText: { readonly value: object; readonly text: string } | undefined
  #templates: Map<string, Template> | undefined

  constructor(limit: number = MAX_REQUEST_WORK) {
    this.#remaining = limit
  }

  /** The remaining work; negative once the limit was exceeded. */
  get remaining(): number {
    return this.#remaining
  }

  /** Subtracts work that was done elsewhere, without throwing. */
  addExternalWork(work: number): void {
    this.#remaining -= work
  }

  /** Consumes work. Throws `invalid` when it is used up, and on every later call. */
  consume(work: number): void {
    this.#remaining -= work
    // SECURITY: written so that NaN is rejected too.
    if (!(this.#remaining >= 0)) throw createWorkError()
  }

  /**
   * Serializes an array or an object as compact JSON, which is work of the request. The last text is cached for the
   * duration of the request: fingerprint, search indexes and the sealed value of a token often share it.
   */
  stringifyJson(value: object): string {
    if (this.#lastText?.value !== value) {
      const text = JSON.stringify(value)
      this.consume(text.length / 4)
      this.#lastText = { value, text }
    }
    return this.#lastText.text
  }

  /**
   * Finds a template that this request has compiled. A request pays once per source, whatever other requests compile.
   */
  findTemplate(source: string): Template | undefined {
    return this.#templates?.get(source)
  }

  /** Stores a compiled template for this request. */
  storeTemplate(source: string, template: Template): void {
    this.#templates ??= new Map()
    this.#templates.set(source, template)
  }
}

function createWorkError(): CofferError {
  return createInvalidError('', 'exceeds the work that the expressions of one request may use')
}
