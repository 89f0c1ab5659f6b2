import { type Fork, forkNode, startOf } from './fork.ts'
import { lookThrough } from './links.ts'
import type { FailureReason, Run, RunResult } from './run.ts'
import { WarmProcess } from './warm-process.ts'

export type PoolOptions = {
  /** The folder of packages, with `node_modules` in it, whether it exists yet or not; null without any. */
  readonly packagesDir: string | null
  /** How a process is started; this Node unless given. */
  readonly fork?: Fork
  /** How long a warm process waits for its next run. */
  readonly idle_ms?: number
}

/** The most processes at a time: more than there are cores, because code waits for others most of its time. */
const PROCESSES = 8
/** The most runs that wait, and the most characters of what they bring. */
const WAITING = 256
const WAITING_LENGTH = 64 * 1024 * 1024
const IDLE_MS = 60_000

type Waiting = {
  readonly run: Run
  /** Which packages there are. */
  readonly packages: string
  start(process: WarmProcess): void
  end(reason: FailureReason, detail: string): void
}
type Warm = { readonly process: WarmProcess; readonly packages: string; readonly timer: NodeJS.Timeout }

/**
 * Runs code in processes of its own (rule F-02), a bounded number at a time: one for each owner, which is used again
 * for the next run of the same code and ends when idle. Runs of one owner are carried out one after another.
 */
export class ReactorPool {
  readonly #options: PoolOptions
  readonly #fork: Fork
  readonly #all = new Set<WarmProcess>()
  readonly #warm = new Map<string, Warm>()
  readonly #busy = new Set<string>()
  readonly #onExit = () => this.#killAll()
  #waiting: Waiting[] = []
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
    this.#fork = options.fork ?? forkNode()
    process.once('exit', this.#onExit)
  }

  /** Carries out a run. Never rejects: every failure is part of the result. */
  async run(run: Run): Promise<RunResult> {
    const begun = performance.now()
    const failed = (reason: FailureReason, detail: string): RunResult => ({
      ended: { kind: 'failed', reason, detail },
      console: '',
      duration_ms: performance.now() - begun,
    })
    if (this.#isClosed || run.signal?.aborted) return failed('cancelled', 'The run was cancelled.')
    const { at: packages, link } = await lookThrough(this.#options.packagesDir)
    if (link !== null) {
      return failed(
        'start',
        `The packages folder has a link that leads out of it: ${link}. Reactors run without it.`,
      )
    }
    if (this.#isClosed || run.signal?.aborted) return failed('cancelled', 'The run was cancelled.')
    const length = this.#waiting.reduce((sum, each) => sum + lengthOf(each.run), lengthOf(run))
    if (this.#waiting.length >= WAITING || (length > WAITING_LENGTH && this.#waiting.length > 0)) {
      return failed('busy', 'Too many runs of reactors wait already.')
    }
    return new Promise((resolve) => {
      const late = setTimeout(() => leave('busy', 'No process was free in time.'), run.limit_ms)
      const cancel = () => leave('cancelled', 'The run was cancelled.')
      const settle = () => {
        clearTimeout(late)
        run.signal?.removeEventListener('abort', cancel)
        this.#waiting = this.#waiting.filter((each) => each !== waiting)
      }
      const leave = (reason: FailureReason, detail: string) => {
        settle()
        resolve(failed(reason, detail))
      }
      const waiting: Waiting = {
        run,
        packages,
        start: (process) => {
          settle()
          resolve(process.run(run))
        },
        end: leave,
      }
      run.signal?.addEventListener('abort', cancel, { once: true })
      this.#waiting.push(waiting)
      this.#next()
    })
  }

  /** Kills every process and waits until they are gone. Runs that wait or are under way end as `cancelled`. */
  async close(): Promise<void> {
    this.#isClosed = true
    process.removeListener('exit', this.#onExit)
    for (const waiting of [...this.#waiting]) waiting.end('cancelled', 'The run was cancelled.')
    const gone = [...this.#all].map((each) => each.gone)
    this.#killAll()
    await Promise.all(gone)
  }

  #killAll(): void {
    for (const { timer } of this.#warm.values()) clearTimeout(timer)
    this.#warm.clear()
    for (const each of this.#all) each.kill()
  }

  /** Starts every waiting run whose owner is free, as far as there is room. */
  #next(): void {
    for (const waiting of [...this.#waiting]) {
      const { owner } = waiting.run
      if (owner !== null && this.#busy.has(owner)) continue
      const process = this.#processFor(waiting)
      if (process) this.#start(waiting, process)
    }
  }

  #processFor({ run: { owner, code }, packages }: Waiting): WarmProcess | null {
    const warm = owner === null ? undefined : this.#take(owner)
    if (warm?.process.isAlive && warm.process.code === code && warm.packages === packages) return warm.process
    warm?.process.kill()
    if (this.#all.size >= PROCESSES) {
      const [oldest] = this.#warm.keys()
      const isEnding = [...this.#all].some((each) => !each.isAlive)
      // The end of one makes room.
      if (oldest !== undefined && !isEnding) this.#take(oldest)?.process.kill()
      return null
    }
    const process = new WarmProcess(this.#fork, startOf(this.#options.packagesDir))
    this.#all.add(process)
    void process.gone.then(() => {
      this.#all.delete(process)
      this.#next()
    })
    return process
  }

  #start(waiting: Waiting, process: WarmProcess): void {
    const { owner } = waiting.run
    if (owner !== null) this.#busy.add(owner)
    waiting.start(process)
    void process.free.then((isFree) => {
      if (owner !== null) this.#busy.delete(owner)
      if (isFree && owner !== null && !this.#isClosed) this.#keep(owner, process, waiting.packages)
      else process.kill()
      this.#next()
    })
  }

  #keep(owner: string, process: WarmProcess, packages: string): void {
    const timer = setTimeout(() => this.#take(owner)?.process.kill(), this.#options.idle_ms ?? IDLE_MS)
    // A program that has nothing else to do may end.
    timer.unref()
    this.#warm.set(owner, { process, packages, timer })
    void process.gone.then(() => this.#warm.get(owner)?.process === process && this.#take(owner))
  }

  #take(owner: string): Warm | undefined {
    const warm = this.#warm.get(owner)
    clearTimeout(warm?.timer)
    this.#warm.delete(owner)
    return warm
  }
}

function lengthOf(run: Run): number {
  return run.args.length + run.code.length
}
