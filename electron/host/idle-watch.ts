const CHECK_INTERVAL_MS = 5000
const MINUTE_MS = 60_000

type IdleWatchDeps = {
  readonly now: () => number
  /** Idle minutes allowed. 0 means no limit. */
  readonly minutes: () => number
  readonly onIdle: () => void
}

/**
 * Calls `onIdle` when the vault has been idle for the allowed minutes by the wall clock: timers stop while a computer
 * sleeps, but the clock does not.
 */
export class IdleWatch {
  readonly #deps: IdleWatchDeps
  #used_at = 0
  #timer: NodeJS.Timeout | null = null

  constructor(deps: IdleWatchDeps) {
    this.#deps = deps
  }

  start(): void {
    this.markActivity()
    this.#timer ??= setInterval(() => this.checkIdle(), CHECK_INTERVAL_MS).unref()
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }

  markActivity(): void {
    this.#used_at = this.#deps.now()
  }

  /** Checks now. Also called when the computer wakes up. */
  checkIdle(): void {
    if (!this.#timer) return
    const now = this.#deps.now()
    // After the clock was set back, the idle limit must not become longer.
    this.#used_at = Math.min(this.#used_at, now)
    const minutes = this.#deps.minutes()
    if (minutes > 0 && now - this.#used_at >= minutes * MINUTE_MS) this.#deps.onIdle()
  }
}
