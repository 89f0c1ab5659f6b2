/** A semaphore: admits up to `limit` holders at a time; the others wait in order of arrival. */
export class Gate {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(limit: number) {
    this.#free = limit
  }

  /** Whether anyone is waiting for a slot. */
  get isWaitedFor(): boolean {
    return this.#waiting.length > 0
  }

  /** Waits for a slot, and resolves to the function that releases it, which may be called more than once. */
  async acquire(): Promise<() => void> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const next = this.#waiting.shift()
      // In a separate turn of the event loop, so that other requests are handled in between (rule R-03).
      if (next) setImmediate(next)
      else this.#free++
    }
  }
}
