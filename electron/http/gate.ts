/** Lets a few in at a time; the others wait in order of arrival. */
export class Gate {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(limit: number) {
    this.#free = limit
  }

  /** Whether somebody waits for a place. */
  get isWaitedFor(): boolean {
    return this.#waiting.length > 0
  }

  /** Waits for a place, and resolves to the function that leaves it, which may be called more than once. */
  async acquire(): Promise<() => void> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    let isIn = true
    return () => {
      if (!isIn) return
      isIn = false
      const next = this.#waiting.shift()
      // A turn of its own, so that what is waiting elsewhere is answered in between (rule R-03).
      if (next) setImmediate(next)
      else this.#free++
    }
  }
}
