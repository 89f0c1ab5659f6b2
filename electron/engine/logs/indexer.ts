/** New records wait this long, so that a burst of them is over; the next block waits only for others to have their turn. */
const WAIT_MS = 100
const PAUSE_MS = 5

/** Indexes records a block at a time, after those who asked for something were answered. */
export class Indexer {
  readonly #turn: () => boolean
  #timer: NodeJS.Timeout | null = null
  #stopped = false

  /** `turn` says whether there may be more to do. */
  constructor(turn: () => boolean) {
    this.#turn = turn
  }

  /** There may be something to do. */
  wake(ms = WAIT_MS): void {
    if (this.#stopped) return
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      if (this.#turn()) this.wake(PAUSE_MS)
    }, ms).unref()
  }

  /** Stops for good. */
  stop(): void {
    this.#stopped = true
    if (this.#timer) clearTimeout(this.#timer)
  }
}
