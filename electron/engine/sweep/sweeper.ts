import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { committed, type Deliver } from '../door/committed.ts'
import { insertLog } from '../door/records.ts'
import type { VaultFile } from '../door/vault-file.ts'
import { sweepBatch } from './sweep-batch.ts'

const EVERY_MS = 60_000

/** Sweeps every minute, in batches between which other work gets its turn (rule T-14). */
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

  /** Sweeps now, and then every minute. After a failure the next sweep tries again; reads ignore what has expired. */
  start(): void {
    const sweep = () => void this.sweep().catch((error) => this.#file.report(error, 'sweep'))
    this.#timer ??= setInterval(sweep, EVERY_MS).unref()
    sweep()
  }

  /** Whether `start` has been called. */
  get isStarted(): boolean {
    return this.#timer !== null
  }

  /** Stops permanently, after the current batch. */
  stop(): void {
    this.#stopped = true
    if (this.#timer) clearInterval(this.#timer)
  }

  /** Sweeps until nothing is left. Joins a sweep that is already running. */
  sweep(): Promise<void> {
    this.#running ??= this.#sweepAll().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #sweepAll(): Promise<void> {
    while (!this.#stopped && this.#sweepBatch()) await turn()
  }

  /** Returns whether there may be more to do. */
  #sweepBatch(): boolean {
    const { db, keyring, isHeld, settings, now, callers } = this.#file
    if (isHeld) return false
    const swept = committed(db, () => {
      const { records, more } = sweepBatch({ db, keyring, settings, now: now(), trace_id: randomUUID() })
      keyring.countSeals(db)
      return { records: insertLog(db, keyring, records), more }
    })
    callers.forget()
    this.#deliver(swept)
    return swept.more
  }
}
