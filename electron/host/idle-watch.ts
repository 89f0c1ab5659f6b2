const TICK_MS = 5000
const MINUTE_MS = 60_000

type Options = {
  readonly now: () => number
  /** Idle minutes allowed; 0 means no limit. */
  readonly minutes: () => number
  readonly onIdle: () => void
}

/**
 * Calls `onIdle` when the vault has been idle for some minutes by the wall clock: timers stop while a computer
 * sleeps, the clock does not.
 */
export class IdleWatch {
  readonly #options: Options
  #used_at = 0
  #timer: NodeJS.Timeout | null = null

  constructor(options: Options) {
    this.#options = options
  }

  /** Starts watching. */
  start(): void {
    this.touch()
    this.#timer ??= setInterval(() => this.check(), TICK_MS).unref()
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }

  /** Marks activity. */
  touch(): void {
    this.#used_at = this.#options.now()
  }

  /** Checks now; also called when the computer wakes up. */
  check(): void {
    if (!this.#timer) return
    const now = this.#options.now()
    // After the clock was set back, that time must not be granted on top.
    this.#used_at = Math.min(this.#used_at, now)
    const minutes = this.#options.minutes()
    if (minutes > 0 && now - this.#used_at >= minutes * MINUTE_MS) this.#options.onIdle()
  }
}
