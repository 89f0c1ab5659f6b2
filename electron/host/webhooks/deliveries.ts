import { performance } from 'node:perf_hooks'
import { CofferError } from '../../../shared/errors.ts'
import type { DueDelivery, Engine, ReportIncident } from '../../engine/index.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { sendDelivery } from './deliver.ts'

/** The maximum number of deliveries that start in one turn. */
const MAX_STARTS_PER_TURN = 5
/** The pause between two polls of the outbox while no delivery ends, in ms. */
const POLL_DELAY_MS = 2
/** The pause between two polls while this thread is busy and the vault has other calls, which come first, in ms. */
const BUSY_POLL_DELAY_MS = 20
/**
 * The thread counts as busy if it works for at least this share of the time, measured over at least this interval, in
 * ms.
 */
const BUSY_SHARE = 0.4
const MEASURE_INTERVAL_MS = 50
/** The maximum delay until the next poll, and so the maximum time until a change of the clock is noticed. */
const MAX_SLEEP_MS = 30_000
/** Every vault is a test tenant. */
const SIGNATURE_VERSION = 'v1-test'
/** How long closing waits for deliveries in flight. */
const CLOSE_TIMEOUT_MS = 2000

type DeliveriesDeps = {
  /** The engine of the open vault. */
  readonly engine: () => Engine | null
  readonly outbound: Outbound
  readonly report: ReportIncident
}

/** A delivery in flight. Its webhook gets no other delivery until this one is recorded. */
type InFlightDelivery = { readonly abort: AbortController; readonly ended: Promise<void> }

/**
 * Delivers the events of the open vault to its webhooks (rule W-02): one at a time to each, but to all webhooks in
 * parallel. Pending deliveries are stored in the vault's file, so that no event is lost if the process is killed, and
 * a slow target uses no memory. A delivery that was not recorded is sent again.
 */
export class Deliveries {
  readonly #deps: DeliveriesDeps
  /** The deliveries in flight, by webhook id. */
  #inFlight = new Map<string, InFlightDelivery>()
  /** The engine that the deliveries in flight came from. */
  #engine: Engine | null = null
  #timer: NodeJS.Timeout | null = null
  /** When the timer fires, by the machine's monotonic clock. */
  #timer_at = 0
  /** The poll at the end of this turn of the event loop. */
  #pollSoon: NodeJS.Immediate | null = null
  #polled_at = 0
  #pollDelay = 0
  #measured_at = 0
  #measured = performance.eventLoopUtilization()
  /** The number of calls of the vault at the last measurement. */
  #calls = 0
  #isClosing = false

  constructor(deps: DeliveriesDeps) {
    this.#deps = deps
  }

  /** Polls the outbox soon, because events were written or a vault was opened. */
  schedulePoll(): void {
    this.#pollAt(Math.max(performance.now(), this.#polled_at + this.#pollDelay))
  }

  /** Aborts deliveries in flight without recording them, because the vault is being locked. */
  stop(): void {
    this.#cancelPoll()
    this.#engine = null
    this.#abortAll()
  }

  /** Starts no more deliveries, and waits up to 2 seconds for those in flight. */
  async close(): Promise<void> {
    this.#isClosing = true
    const all = Promise.all([...this.#inFlight.values()].map(({ ended }) => ended))
    let timeout: NodeJS.Timeout | undefined
    await Promise.race([all, new Promise((resolve) => (timeout = setTimeout(resolve, CLOSE_TIMEOUT_MS)))])
    clearTimeout(timeout)
    this.stop()
  }

  #abortAll(): void {
    const inFlight = this.#inFlight
    this.#inFlight = new Map()
    for (const { abort } of inFlight.values()) abort.abort()
  }

  #pollAt(moment: number): void {
    if (this.#isClosing || this.#pollSoon || (this.#timer && this.#timer_at <= moment)) return
    this.#cancelPoll()
    const wait = moment - performance.now()
    if (wait <= 0) {
      this.#pollSoon = setImmediate(() => this.#poll())
      return
    }
    this.#timer_at = moment
    this.#timer = setTimeout(() => this.#poll(), wait).unref()
  }

  #cancelPoll(): void {
    if (this.#timer) clearTimeout(this.#timer)
    if (this.#pollSoon) clearImmediate(this.#pollSoon)
    this.#timer = null
    this.#pollSoon = null
  }

  #poll(): void {
    this.#cancelPoll()
    this.#polled_at = performance.now()
    const engine = this.#deps.engine()
    if (!engine) return
    // After a reset or a change of the master secret, the new engine hands out the deliveries in flight again.
    if (engine !== this.#engine) this.#abortAll()
    this.#engine = engine
    try {
      this.#measureLoad(engine)
      for (const due of engine.outbox.takeDueDeliveries(MAX_STARTS_PER_TURN)) this.#startDelivery(engine, due)
      const next = engine.outbox.nextAt()
      if (next === null) return
      const wait = Math.min(Math.max(next - engine.now(), this.#pollDelay, POLL_DELAY_MS), MAX_SLEEP_MS)
      this.#pollAt(this.#polled_at + wait)
    } catch (error) {
      // The outbox of a locked vault is polled when it is opened.
      if (error instanceof CofferError && error.code === 'locked') return
      this.#deps.report(error, 'webhooks')
      this.#pollAt(this.#polled_at + MAX_SLEEP_MS)
    }
  }

  /** Sets the poll delay by how busy this thread has been, and whether the vault had calls. */
  #measureLoad({ calls }: Engine): void {
    if (this.#polled_at < this.#measured_at + MEASURE_INTERVAL_MS) return
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, this.#measured)
    this.#pollDelay = utilization > BUSY_SHARE && calls !== this.#calls ? BUSY_POLL_DELAY_MS : 0
    this.#measured = now
    this.#calls = calls
    this.#measured_at = this.#polled_at
  }

  #startDelivery(engine: Engine, due: DueDelivery): void {
    const { webhook_id } = due
    const inFlight = this.#inFlight
    const abort = new AbortController()
    const ended = this.#runDelivery(engine, due, abort.signal)
      .catch((error: unknown) => this.#deps.report(error, 'webhooks'))
      .then(() => {
        inFlight.delete(webhook_id)
        if (inFlight === this.#inFlight) this.schedulePoll()
      })
    inFlight.set(webhook_id, { abort, ended })
  }

  async #runDelivery(engine: Engine, due: DueDelivery, signal: AbortSignal): Promise<void> {
    const { outbound, report } = this.#deps
    const { outbox } = engine
    try {
      const key = await outbox.getSigningKey()
      const getNow = () => engine.now()
      const attempt = await sendDelivery(due, {
        outbound,
        key,
        version: SIGNATURE_VERSION,
        now: getNow,
        signal,
      })
      outbox.recordAttempt(due.delivery_id, attempt)
    } catch (error) {
      // The vault is locked, or about to be.
      if (signal.aborted || (error instanceof CofferError && error.code === 'locked')) return
      report(error, 'webhooks')
      const failure = 'Coffer could not send this delivery because of an internal error.'
      const nothing = { at: engine.now(), duration_ms: 0, status: null, answer: Buffer.alloc(0) }
      outbox.recordAttempt(due.delivery_id, { ...nothing, failure })
    }
  }
}
