import crypto, { createECDH, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import timersPromises from 'node:timers/promises'
import { promisify } from 'node:util'
import { createRandom } from '../create-random.ts'

type Work = () => void
type TimedWork = { at: number; readonly order: number; readonly timer: SimulatedTimer; readonly run: Work }

const realTurn = promisify(setImmediate)
const realWait = promisify(setTimeout)
const realNow = Date.now.bind(Date)
const { generateKeyPairSync, sign } = crypto

/** Beyond this, the machine sleeps, and a timer that was due several times fires once. */
const MAX_AWAKE_MS = 5000

/** How many real turns nothing must happen before a timer fires, in case the system still works on something. */
const QUIET_TURNS = 20
/** How long a step may wait for the system, in real ms. */
const HANG_MS = 120_000
/** How long the machine seems to take for a slice of work, in ms, once in so many readings of its clock. */
const SLOW_SLICE_MS = 30
const SLOW_SLICE_EVERY = 60

/** What `setTimeout` and `setInterval` return. */
type SimulatedTimer = {
  isActive: boolean
  readonly ref: () => SimulatedTimer
  readonly unref: () => SimulatedTimer
  readonly hasRef: () => boolean
  readonly refresh: () => SimulatedTimer
}

function createTimer(schedule: (timer: SimulatedTimer) => void): SimulatedTimer {
  const timer: SimulatedTimer = {
    isActive: true,
    ref: () => timer,
    unref: () => timer,
    hasRef: () => true,
    refresh: () => {
      timer.isActive = true
      schedule(timer)
      return timer
    },
  }
  schedule(timer)
  return timer
}

/**
 * Takes the place of the machine for everything that is loaded after it: clocks, timers, the order in which work is
 * done, and every random value that anybody sees. All of them follow from one seed.
 */
export class SimulatedProcess {
  /** The time of the wall clock in epoch ms, which may jump, and of the monotonic clock in ms, which never goes back. */
  wall = 0
  monotonic = 0
  #random = createRandom(0)
  #order = 0
  #readings = 0
  #ready: Work[] = []
  #inputOutput: Work[] = []
  #timed: TimedWork[] = []

  /** Starts a program with a seed: nothing of the last one goes on. */
  startProgram(seed: number, wall: number): void {
    this.#random = createRandom(seed)
    this.wall = wall
    this.monotonic += 1_000_000
    this.#readings = 0
    this.dropWork()
  }

  /** Drops all work, as the end of a process does. */
  dropWork(): void {
    this.#ready = []
    this.#inputOutput = []
    this.#timed = []
  }

  readonly getRandom = (): number => this.#random()

  readonly getTime = (): number => this.wall

  createBytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => Math.floor(this.#random() * 256)))
  }

  createUuid(): ReturnType<typeof crypto.randomUUID> {
    const hex = this.createBytes(16).toString('hex')
    const variant = '89ab'[Number.parseInt(hex[16] ?? '0', 16) % 4]
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
  }

  /** Does the next piece of work. Returns false if none is ready. */
  #runNext(): boolean {
    const { length } = this.#inputOutput
    const isOutput = length > 0 && (this.#ready.length === 0 || this.#random() < 0.5)
    const [work] = isOutput
      ? this.#inputOutput.splice(Math.floor(this.#random() * length), 1)
      : this.#ready.splice(0, 1)
    work?.()
    return work !== undefined
  }

  /** Fires the next timer that is due until a time of the monotonic clock. Returns false if there is none. */
  #fireTimer(until: number): boolean {
    this.#timed = this.#timed.filter(({ timer }) => timer.isActive)
    const [next] = this.#timed.toSorted((a, b) => a.at - b.at || a.order - b.order)
    if (!next || next.at > until) return false
    this.#timed.splice(this.#timed.indexOf(next), 1)
    this.wall += Math.max(0, next.at - this.monotonic)
    this.monotonic = Math.max(this.monotonic, next.at)
    next.run()
    return true
  }

  /** Runs until a promise is done and nothing is ready. Lets time pass if the promise waits for a timer. */
  async settlePromise<T>(promise: Promise<T>, { isTimed = false } = {}): Promise<PromiseSettledResult<T>> {
    const outcomes: PromiseSettledResult<T>[] = []
    promise.then(
      (value) => outcomes.push({ status: 'fulfilled', value }),
      (reason) => outcomes.push({ status: 'rejected', reason }),
    )
    const since = realNow()
    for (let quiet = 0; ; quiet++) {
      await realTurn()
      if (this.#runNext()) quiet = 0
      else if (outcomes[0]) return outcomes[0]
      else if (quiet > QUIET_TURNS && isTimed && (await this.#awaitTimer())) quiet = 0
      if (realNow() - since > HANG_MS) throw new Error('A call was not answered.')
    }
  }

  /** Fires the next timer, unless the system ends something first. */
  async #awaitTimer(): Promise<boolean> {
    await realWait(1)
    await realTurn()
    const isQuiet = this.#ready.length === 0 && this.#inputOutput.length === 0
    return isQuiet && this.#fireTimer(Number.POSITIVE_INFINITY)
  }

  /** Waits for a time, as a program does. */
  waitFor(ms: number): Promise<void> {
    return new Promise((resolve) => this.#scheduleWork(resolve, ms, false))
  }

  /** Lets time pass on both clocks. A timer fires once, however long the machine has slept. */
  async passTime(ms: number): Promise<void> {
    const until = this.monotonic + ms
    const wall = this.wall + ms
    const fired = new Set<SimulatedTimer>()
    for (;;) {
      await this.settlePromise(Promise.resolve())
      const asleep = this.#timed.filter(({ timer }) => fired.has(timer))
      this.#timed = this.#timed.filter(({ timer }) => !fired.has(timer))
      const [next] = this.#timed.toSorted((a, b) => a.at - b.at)
      if (next && ms > MAX_AWAKE_MS) fired.add(next.timer)
      const isFired = this.#fireTimer(until)
      this.#timed.push(...asleep)
      if (!isFired) break
    }
    this.wall = Math.max(this.wall, wall)
    this.monotonic = Math.max(this.monotonic, until)
  }

  #scheduleWork(run: Work, ms: number, isRepeated: boolean): SimulatedTimer {
    const delay = Math.max(1, Number(ms) || 0)
    const addWork = (timer: SimulatedTimer) => {
      this.#timed = this.#timed.filter((each) => each.timer !== timer)
      const runOnce = () => {
        if (isRepeated) addWork(timer)
        else timer.isActive = false
        run()
      }
      this.#timed.push({ at: this.monotonic + delay, order: this.#order++, timer, run: runOnce })
    }
    return createTimer(addWork)
  }

  #addReady(run: Work): SimulatedTimer {
    return createTimer((timer) => this.#ready.push(() => timer.isActive && run()))
  }

  /** Finishes a call of the system later, in any order. */
  finishLater(run: Work): void {
    this.#inputOutput.push(run)
  }

  /** Puts this process in the place of the machine. */
  replaceMachine(): void {
    const clearTimer = (timer?: SimulatedTimer) => {
      if (timer) timer.isActive = false
    }
    Object.assign(globalThis, {
      setTimeout: (run: Work, ms = 0) => this.#scheduleWork(run, ms, false),
      setInterval: (run: Work, ms = 0) => this.#scheduleWork(run, ms, true),
      setImmediate: (run: (...parameters: unknown[]) => void, ...parameters: unknown[]) =>
        this.#addReady(() => run(...parameters)),
      ...{ clearTimeout: clearTimer, clearInterval: clearTimer, clearImmediate: clearTimer },
    })
    Object.assign(timersPromises, {
      setImmediate: (value: unknown) => new Promise((resolve) => this.#addReady(() => resolve(value))),
    })
    Object.assign(Date, { now: this.getTime })
    Object.defineProperties(performance, {
      now: {
        value: () => {
          if (++this.#readings % SLOW_SLICE_EVERY === 0) this.monotonic += SLOW_SLICE_MS
          return this.monotonic
        },
      },
      eventLoopUtilization: { value: () => ({ idle: 1, active: 0, utilization: 0 }) },
    })
    this.#installRandom()
    this.#installFiles()
    syncBuiltinESMExports()
  }

  #installRandom(): void {
    // Signing keys take long to generate, and nothing depends on them.
    const signingKey = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    })
    const createPair = (type: string, { namedCurve = '' } = {}) => {
      const privateKey = type === 'x25519' ? this.#createX25519() : this.#createEc(namedCurve)
      return { privateKey, publicKey: createPublicKey(privateKey) }
    }
    const generateKeyPair = Object.assign(() => {}, { [promisify.custom]: async () => signingKey })
    Object.assign(crypto, {
      randomUUID: () => this.createUuid(),
      randomBytes: (length: number) => this.createBytes(length),
      generateKeyPairSync: createPair,
      generateKeyPair,
      sign: (...parameters: Parameters<typeof sign>) => {
        const then = parameters.at(3)
        if (typeof then !== 'function') return sign(...parameters)
        this.finishLater(() => then(null, Buffer.alloc(256)))
      },
    })
  }

  #createX25519(): KeyObject {
    const head = Buffer.from('302e020100300506032b656e04220420', 'hex')
    return createPrivateKey({
      key: Buffer.concat([head, this.createBytes(32)]),
      format: 'der',
      type: 'pkcs8',
    })
  }

  #createEc(curve: string): KeyObject {
    const pair = createECDH(curve === 'P-256' ? 'prime256v1' : curve)
    pair.setPrivateKey(Buffer.concat([Buffer.from([1]), this.createBytes(31)]))
    const point = pair.getPublicKey()
    const x = point.subarray(1, 33).toString('base64url')
    const y = point.subarray(33).toString('base64url')
    const d = pair.getPrivateKey().toString('base64url')
    return createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x, y, d }, format: 'jwk' })
  }

  #installFiles(): void {
    const { fdatasyncSync, closeSync } = fs
    const runLater =
      (act: (descriptor: number) => void) => (descriptor: number, then: (error?: unknown) => void) =>
        this.finishLater(() => {
          try {
            act(descriptor)
          } catch (error) {
            then(error)
            return
          }
          then(null)
        })
    Object.assign(fs, { fdatasync: runLater(fdatasyncSync), close: runLater(closeSync) })
  }
}
