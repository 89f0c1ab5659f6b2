import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { committed, type Deliver } from '../door/committed.ts'
import { insertLog } from '../door/records.ts'
import type { VaultFile } from '../door/vault-file.ts'
import { sweepBatch } from './sweep-batch.ts'

const EVERY_MS = 60_000

/** Runs batches of sweeping every minute, letting others have their turn between any two (rule T-14). */
export class Sweeper {
  readonly #file: VaultFile
  readonly #deliver: Deliver
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null
  #stopped = false

  constructor(file: VaultFile, deliver: Deliver) {
    this.#file = file
    this.#deliver = deliver
  }

  /** Sweeps now and then every minute. A failure is left to the next time; what has expired is not shown meanwhile. */
  start(): void {
    const sweep = () => void this.sweep().catch((error) => this.#file.report(error, 'sweep'))
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
    while (!this.#stopped && this.#sweepBatch()) await turn()
  }

  /** Gives whether there may be more. */
  #sweepBatch(): boolean {
    const { db, keyring, isHeld, settings, now, callers } = this.#file
    if (isHeld) return false
    const swept = committed(db, () => {
      const { records, more } = sweepBatch({ db, keyring, settings, now: now(), trace_id: randomUUID() })
      return { records: insertLog(db, keyring, records), more }
    })
    callers.forget()
    this.#deliver(swept)
    return swept.more
  }
}
