/** The most refusals within a minute that get a record each. */
const MOST = 100
const MINUTE_MS = 60_000

/**
 * Counts refused requests of callers without a valid key. Beyond a hundred a minute they share one record, written when
 * the minute ends, so that a flood of them cannot fill the disk (case X-50).
 */
export class UnknownCallers {
  readonly #recordMore: (more: number) => void
  #refused = 0
  #timer: NodeJS.Timeout | null = null

  constructor(recordMore: (more: number) => void) {
    this.#recordMore = recordMore
  }

  /** Counts a refusal. Returns whether it gets a record of its own. */
  refused(): boolean {
    this.#timer ??= setTimeout(() => this.end(), MINUTE_MS).unref()
    return ++this.#refused <= MOST
  }

  /** Ends the minute, and records how many refusals have no record of their own. */
  end(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const more = this.#refused - MOST
    this.#refused = 0
    if (more > 0) this.#recordMore(more)
  }
}
