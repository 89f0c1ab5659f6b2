import { setImmediate as turn } from 'node:timers/promises'

const EVERY_MS = 60_000

/** Runs batches of sweeping every minute, letting others have their turn between any two (rule T-14). */
export class Sweeper {
  readonly #batch: () => boolean
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null
  #stopped = false

  /** `batch` says whether there may be more. */
  constructor(batch: () => boolean) {
    this.#batch = batch
  }

  /** Sweeps now and then every minute. A failure is left to the next time; what has expired is not shown meanwhile. */
  start(): void {
    const sweep = () => void this.sweep().catch(() => {})
    this.#timer ??= setInterval(sweep, EVERY_MS).unref()
    sweep()
  }

  get isStarted(): boolean {
    return this.#timer !== null
  }

  /** Stops for good, after the batch that runs. */
  stop(): void {
    this.#stopped = true
    if (this.#timer) clearInterval(this.#timer)
  }

  /** Sweeps until nothing is left; one sweep at a time. */
  sweep(): Promise<void> {
    this.#running ??= this.#sweepAll().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #sweepAll(): Promise<void> {
    while (!this.#stopped && this.#batch()) await turn()
  }
}
