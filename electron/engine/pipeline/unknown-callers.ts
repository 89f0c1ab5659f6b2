/** The maximum number of rejections per minute that get a record each. */
const MAX_RECORDED_REJECTIONS = 100
const MINUTE_MS = 60_000

/**
 * Counts rejected requests from callers without a valid key. Beyond a hundred a minute, they share one record, which is
 * written when the minute ends or the log is read, so that a flood of requests cannot fill the disk (case X-50).
 */
export class UnknownCallers {
  readonly #recordMore: (more: number) => void
  #rejections = 0
  #recorded = MAX_RECORDED_REJECTIONS
  #timer: NodeJS.Timeout | null = null

  constructor(recordMore: (more: number) => void) {
    this.#recordMore = recordMore
  }

  /** Counts a rejection. Returns whether it gets a separate record. */
  countRejection(): boolean {
    this.#timer ??= setTimeout(() => this.endMinute(), MINUTE_MS).unref()
    return ++this.#rejections <= MAX_RECORDED_REJECTIONS
  }

  /** Records the number of rejections that are in no record yet. */
  recordRest(): void {
    const more = this.#rejections - this.#recorded
    if (more <= 0) return
    this.#recorded = this.#rejections
    this.#recordMore(more)
  }

  endMinute(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.recordRest()
    this.#rejections = 0
    this.#recorded = MAX_RECORDED_REJECTIONS
  }
}
