import type { RuleTransform } from '../../../../../shared/schemas/rule.ts'
import type { Token } from '../../../../../shared/schemas/token.ts'
import { MAX_WORK } from '../../../expressions/bounds.ts'
import { WorkBudget } from '../../../expressions/work-budget.ts'
import type { Context } from '../../../pipeline/context.ts'
import type { TokenRow } from '../store.ts'
import { toToken } from './present.ts'
import { queueTokenReadEvent } from './token-events.ts'

/** The maximum size of the stored tokens in one response, in bytes. It is about the size of the largest token. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024

/** Returns the stored size of a row in bytes. */
export function getStoredSize({ data, mask, metadata, search_indexes }: TokenRow): number {
  return data.length + (mask?.length ?? 0) + (metadata?.length ?? 0) + (search_indexes?.length ?? 0)
}

/** Limits the tokens of one response by their stored size and by the work of their masks (rule R-03, case X-48). */
export class AnswerBudget {
  readonly #context: Context
  #bytes = 0
  readonly #work = new WorkBudget(MAX_WORK)

  constructor(context: Context) {
    this.#context = context
  }

  /**
   * Returns a token like `toToken`, or null if it exceeds the budget. The first token is always returned, so that a
   * single large token cannot block a list.
   */
  presentToken(this: AnswerBudget, row: TokenRow, transform: RuleTransform): Token | null {
    const token = this.fitValue(getStoredSize(row), (work) => toToken(this.#context, row, transform, work))
    if (token) queueTokenReadEvent(this.#context, row)
    return token
  }

  /**
   * Returns the value that `make` creates, or null if it exceeds the budget. The first value is always returned.
   * `bytes` is the stored size of the value; `make` must evaluate its expressions within `work`.
   */
  fitValue<T>(this: AnswerBudget, bytes: number, make: (work: WorkBudget) => T): T | null {
    const isFirst = this.#bytes === 0
    this.#bytes += bytes
    // The first value may use all the remaining work of the request.
    const work = isFirst ? this.#context.work : this.#work
    if (!isFirst && this.#bytes > MAX_ANSWER_BYTES) return null
    const before = work.remaining
    try {
      return make(work)
    } catch (error) {
      if (!isFirst && work.remaining < 0) return null
      throw error
    } finally {
      if (isFirst) this.#work.addExternalWork(before - work.remaining)
    }
  }
}
