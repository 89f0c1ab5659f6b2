/** A semaphore: admits up to `limit` holders at a time. Others wait in the order of arrival. */
export class Gate {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(limit: number) {
    this.#free = limit
  }

  /** Whether any caller is waiting for a slot. */
  get isWaitedFor(): boolean {
    return this.#waiting.length > 0
  }

  /**
   * Waits for a slot, and resolves to the function that releases the slot. Calling that function again has no effect.
   */
  async acquire(): Promise<() => void> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const next = this.#waiting.shift()
      // Resumed in a separate turn of the event loop, so that other requests are handled in between (rule R-03).
      if (next) setImmediate(next)
      else this.#free++
    }
  }
}
