/** How long new records wait, so that a burst is indexed together. Between blocks, other work only gets its turn. */
const WAIT_MS = 100
const PAUSE_MS = 5

/** Indexes records a block at a time, after pending calls have been answered. */
export class Indexer {
  readonly #turn: () => boolean
  #timer: NodeJS.Timeout | null = null
  #stopped = false

  /** `turn` indexes one block and returns whether there may be more to do. */
  constructor(turn: () => boolean) {
    this.#turn = turn
  }

  /** Called when there may be something to do. */
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
