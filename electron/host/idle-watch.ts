const CHECK_INTERVAL_MS = 5000
const MINUTE_MS = 60_000

type IdleWatchDeps = {
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
  readonly #deps: IdleWatchDeps
  #used_at = 0
  #timer: NodeJS.Timeout | null = null

  constructor(deps: IdleWatchDeps) {
    this.#deps = deps
  }

  /** Starts watching. */
  start(): void {
    this.markActivity()
    this.#timer ??= setInterval(() => this.checkIdle(), CHECK_INTERVAL_MS).unref()
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }

  /** Marks activity. */
  markActivity(): void {
    this.#used_at = this.#deps.now()
  }

  /** Checks now; also called when the computer wakes up. */
  checkIdle(): void {
    if (!this.#timer) return
    const now = this.#deps.now()
    // After the clock was set back, that time must not be granted on top.
    this.#used_at = Math.min(this.#used_at, now)
    const minutes = this.#deps.minutes()
    if (minutes > 0 && now - this.#used_at >= minutes * MINUTE_MS) this.#deps.onIdle()
  }
}
