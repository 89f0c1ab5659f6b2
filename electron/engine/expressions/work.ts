import { type CofferError, invalid } from '../../../shared/errors.ts'
import type { Template } from './template.ts'

/** The work that all expressions of one request may do together, in the units of `spend` in `bounds.ts` (rule R-03). */
export const MAX_REQUEST_WORK = 2_097_152

/**
 * The work that the expressions of one request may still do (rule R-03), so that many expressions that are allowed one
 * by one do not hold up other requests. Every context has one; compiling and evaluating spend from it.
 */
export class Work {
  #left: number
  #spelled: { readonly value: object; readonly text: string } | undefined
  #templates: Map<string, Template> | undefined

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

  /**
   * A list or an object as compact JSON, which is work for the request. The last one is remembered until the request
   * is answered: fingerprint, search indexes and the sealed value of a token are often the same text.
   */
  textOf(value: object): string {
    if (this.#spelled?.value !== value) {
      const text = JSON.stringify(value)
      this.spend(text.length / 4)
      this.#spelled = { value, text }
    }
    return this.#spelled.text
  }

  /** What the request compiled before from a source: it pays for each source once, whatever other requests compile. */
  templateOf(source: string): Template | undefined {
    return this.#templates?.get(source)
  }

  /** Remembers what a source was compiled to. */
  keepTemplate(source: string, template: Template): void {
    this.#templates ??= new Map()
    this.#templates.set(source, template)
  }
}

function usedUp(): CofferError {
  return invalid('', 'would take the expressions of this request past the work that one request may ask for')
}
