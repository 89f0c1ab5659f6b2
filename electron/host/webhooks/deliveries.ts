import { performance } from 'node:perf_hooks'
import { CofferError } from '../../../shared/errors.ts'
import type { Report } from '../../engine/door/incident.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Due } from '../../engine/webhooks/outbox.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { deliver } from './deliver.ts'

/** The most deliveries that begin in one turn. */
const AT_ONCE = 5
/** Between two looks at the outbox, and while this thread is busy: the vault's other calls come first. */
const REST_MS = 2
const LONG_REST_MS = 20
/** The share of its time that a busy thread works, over at least this long. */
const BUSY = 0.4
const MEASURED_MS = 50
/** The longest sleep: a clock that was set is noticed after it. */
const SLEEP_MS = 30_000
/** Every vault is a test tenant. */
const VERSION = 'v1-test'
/** How long closing waits for what is in the air. */
const CLOSING_MS = 2000

type Options = {
  /** The engine of the open vault. */
  readonly engine: () => Engine | null
  readonly outbound: Outbound
  readonly report: Report
}

/** A delivery that was begun: its webhook gets no other until it is recorded. */
type InTheAir = { readonly abort: AbortController; readonly ended: Promise<void> }

/**
 * Delivers the events of the open vault to its webhooks (rule W-02): one at a time to each, all webhooks beside each
 * other. What waits, waits in the vault's file, so that neither a kill nor a slow target costs memory. A delivery that
 * was not recorded is made again.
 */
export class Deliveries {
  readonly #options: Options
  /** By the webhook's id. */
  #inTheAir = new Map<string, InTheAir>()
  /** The engine that handed it out. */
  #engine: Engine | null = null
  #timer: NodeJS.Timeout | null = null
  /** When the timer fires, by the machine's monotonic clock. */
  #timer_at = 0
  #looked_at = 0
  #rest = REST_MS
  #measured_at = 0
  #measured = performance.eventLoopUtilization()
  #isClosing = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Looks at the outbox soon: events were written, or a vault was opened. */
  wake(): void {
    this.#lookAt(Math.max(performance.now(), this.#looked_at + this.#rest))
  }

  /** Ends what is in the air, without recording it: the vault is being locked. */
  stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#engine = null
    this.#abortAll()
  }

  /** Begins nothing more, and waits for what is in the air, but not long. */
  async close(): Promise<void> {
    this.#isClosing = true
    const all = Promise.all([...this.#inTheAir.values()].map(({ ended }) => ended))
    let late: NodeJS.Timeout | undefined
    await Promise.race([all, new Promise((resolve) => (late = setTimeout(resolve, CLOSING_MS)))])
    clearTimeout(late)
    this.stop()
  }

  #abortAll(): void {
    const inTheAir = this.#inTheAir
    this.#inTheAir = new Map()
    for (const { abort } of inTheAir.values()) abort.abort()
  }

  #lookAt(moment: number): void {
    if (this.#isClosing || (this.#timer && this.#timer_at <= moment)) return
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer_at = moment
    this.#timer = setTimeout(() => this.#look(), Math.max(moment - performance.now(), 0)).unref()
  }

  #look(): void {
    this.#timer = null
    this.#looked_at = performance.now()
    this.#measure()
    const engine = this.#options.engine()
    if (!engine) return
    // After a reset, or under a new master secret, the vault hands out what is in the air once more.
    if (engine !== this.#engine) this.#abortAll()
    this.#engine = engine
    try {
      for (const due of engine.outbox.due(AT_ONCE)) this.#begin(engine, due)
      const next = engine.outbox.nextAt()
      if (next === null) return
      const wait = Math.min(Math.max(next - engine.now(), this.#rest), SLEEP_MS)
      this.#lookAt(this.#looked_at + wait)
    } catch (error) {
      // A vault that was locked meanwhile is looked at when it is opened.
      if (error instanceof CofferError && error.code === 'locked') return
      this.#options.report(error, 'webhooks')
      this.#lookAt(this.#looked_at + SLEEP_MS)
    }
  }

  /** Decides how long to rest, by how busy this thread has been. */
  #measure(): void {
    if (this.#looked_at < this.#measured_at + MEASURED_MS) return
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, this.#measured)
    this.#rest = utilization > BUSY ? LONG_REST_MS : REST_MS
    this.#measured = now
    this.#measured_at = this.#looked_at
  }

  #begin(engine: Engine, due: Due): void {
    const { webhook_id } = due
    const inTheAir = this.#inTheAir
    const abort = new AbortController()
    const ended = this.#run(engine, due, abort.signal)
      .catch((error: unknown) => this.#options.report(error, 'webhooks'))
      .then(() => {
        inTheAir.delete(webhook_id)
        if (inTheAir === this.#inTheAir) this.wake()
      })
    inTheAir.set(webhook_id, { abort, ended })
  }

  async #run(engine: Engine, due: Due, signal: AbortSignal): Promise<void> {
    const { outbound, report } = this.#options
    const { outbox } = engine
    try {
      const key = await outbox.signingKey()
      const now = () => engine.now()
      const attempt = await deliver(due, { outbound, key, version: VERSION, now, signal })
      outbox.attempted(due.delivery_id, attempt)
    } catch (error) {
      // The vault is locked, or about to be.
      if (signal.aborted || (error instanceof CofferError && error.code === 'locked')) return
      report(error, 'webhooks')
      const failure = 'Coffer could not send it, because of an internal error.'
      const nothing = { at: engine.now(), duration_ms: 0, status: null, answer: Buffer.alloc(0) }
      outbox.attempted(due.delivery_id, { ...nothing, failure })
    }
  }
}
