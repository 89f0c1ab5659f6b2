/** The maximum number of rejections per minute that get a record each. */
const MAX_RECORDED_REJECTIONS = 100
const MINUTE_MS = 60_000

/**
 * Counts rejected requests of callers without a valid key. Beyond a hundred a minute they share one record,
 * written when the minute ends or the log is read, so that a flood of them cannot fill the disk (case X-50).
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

  /** Records how many rejections have no record yet. */
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
