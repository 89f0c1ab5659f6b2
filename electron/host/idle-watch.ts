const TICK_MS = 5000
const MINUTE_MS = 60_000

type Options = {
  readonly now: () => number
  /** Idle minutes allowed; 0 never ends. */
  readonly minutes: () => number
  readonly onIdle: () => void
}

/**
 * Tells when nobody used the vault for some minutes, by the wall clock: timers stand still while a computer sleeps,
 * the clock does not.
 */
export class IdleWatch {
  readonly #options: Options
  #used_at = 0
  #timer: NodeJS.Timeout | null = null

  constructor(options: Options) {
    this.#options = options
  }

  /** Begins to watch. */
  start(): void {
    this.touch()
    this.#timer ??= setInterval(() => this.check(), TICK_MS).unref()
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }

  /** Somebody used the vault. */
  touch(): void {
    this.#used_at = this.#options.now()
  }

  /** Compares the clock now; also to be called when the computer wakes up. */
  check(): void {
    if (!this.#timer) return
    const now = this.#options.now()
    // A clock that was set back must not grant the time it was set back by.
    this.#used_at = Math.min(this.#used_at, now)
    const minutes = this.#options.minutes()
    if (minutes > 0 && now - this.#used_at >= minutes * MINUTE_MS) this.#options.onIdle()
  }
}
