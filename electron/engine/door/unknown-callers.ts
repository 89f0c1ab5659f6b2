/** The most refusals within a minute that get a record each. */
const MOST = 100
const MINUTE_MS = 60_000

/**
 * Counts refused requests of callers without a valid key. Beyond a hundred a minute they share one record, written when
 * the minute ends or the log is read, so that a flood of them cannot fill the disk (case X-50).
 */
export class UnknownCallers {
  readonly #recordMore: (more: number) => void
  #refused = 0
  #counted = MOST
  #timer: NodeJS.Timeout | null = null

  constructor(recordMore: (more: number) => void) {
    this.#recordMore = recordMore
  }

  /** Counts a refusal. Returns whether it gets a record of its own. */
  refused(): boolean {
    this.#timer ??= setTimeout(() => this.end(), MINUTE_MS).unref()
    return ++this.#refused <= MOST
  }

  /** Records how many refusals have no record yet. */
  record(): void {
    const more = this.#refused - this.#counted
    if (more <= 0) return
    this.#counted = this.#refused
    this.#recordMore(more)
  }

  /** Ends the minute. */
  end(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.record()
    this.#refused = 0
    this.#counted = MOST
  }
}
