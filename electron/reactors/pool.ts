import { type Fork, forkNode, startOf } from './fork.ts'
import { START_MS } from './limits.ts'
import { lookThrough } from './links.ts'
import type { FailureReason, Run, RunResult } from './run.ts'
import type { Preload } from './runner/messages.ts'
import { WarmProcess } from './warm-process.ts'

export type PoolOptions = {
  /** The folder of packages, with `node_modules` in it, whether it exists yet or not; null without any. */
  readonly packagesDir: string | null
  /** How a process is started; this Node unless given. */
  readonly fork?: Fork
  /** How many processes are started before a run needs them; 2 unless given. */
  readonly spare?: number
  /** How long processes wait for a run. */
  readonly idle_ms?: number
}

/** The most processes at a time: more than there are cores, because code waits for others most of its time. */
const PROCESSES = 8
/** The most that run code of one owner at a time: code that is slow leaves room for other code. */
const PROCESSES_OF_ONE = 4
/** Both sides of a proxied call may be code. */
const SPARE = 2
/** The most runs that wait, and the most characters of what they bring. */
const WAITING = 256
const WAITING_LENGTH = 64 * 1024 * 1024
const IDLE_MS = 60_000
/** How long a process that has run code waits for a run of the same caller. */
const USED_MS = 1000

type Waiting = {
  readonly run: Run
  /** Which packages there are. */
  readonly packages: string
  start(process: WarmProcess): void
  end(reason: FailureReason, detail: string): void
}
/** A process that waits for a run; `key` says whose code it has run, and for whom. */
type Resting = { readonly process: WarmProcess; readonly packages: string; readonly key: string | null }

/**
 * Runs code in processes of its own (rule F-02), a bounded number at a time. A process serves one run, and the next one
 * is started meanwhile. Only where runs come faster than processes start does one go on with the next run of the same
 * code for the same caller.
 */
export class ReactorPool {
  readonly #options: PoolOptions
  readonly #fork: Fork
  readonly #all = new Set<WarmProcess>()
  /** What waits for a run: processes that have run no code, started or not, and those that have; the oldest first. */
  #resting: readonly Resting[] = []
  /** How many runs of an owner are under way. */
  readonly #running = new Map<string | null, number>()
  readonly #onExit = () => this.#killAll()
  #waiting: readonly Waiting[] = []
  #idle: NodeJS.Timeout | undefined
  /** What the last run of code needed, so that a process for the next one is started; null while none is expected. */
  #last: { readonly packages: string; readonly preloads: readonly Preload[] } | null = null
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
      const patience = Math.max(run.limit_ms, START_MS)
      const late = setTimeout(() => leave('busy', 'No process was free in time.'), patience)
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
      this.#waiting = [...this.#waiting, waiting]
      if (run.args !== null) this.#last = { packages, preloads: preloadsOf(run) }
      this.#next()
    })
  }

  /** Kills every process and waits until they are gone. Runs that wait or are under way end as `cancelled`. */
  async close(): Promise<void> {
    this.#isClosed = true
    process.removeListener('exit', this.#onExit)
    clearTimeout(this.#idle)
    for (const waiting of this.#waiting) waiting.end('cancelled', 'The run was cancelled.')
    const gone = [...this.#all].map((each) => each.gone)
    this.#killAll()
    await Promise.all(gone)
  }

  #killAll(): void {
    for (const each of this.#all) each.kill()
  }

  /** Starts every waiting run that there is a process for, and processes for the others. */
  #next(): void {
    for (const waiting of this.#startable()) {
      const process = this.#takeFor(waiting)
      if (process) this.#start(waiting, process)
    }
    const fresh = () => this.#resting.filter(({ key }) => key === null)
    const starting = fresh().filter(({ process }) => !process.isReady).length
    for (const { packages } of this.#startable().slice(starting)) this.#add(packages)
    // One after another, so that they take little from what runs.
    const spare = this.#options.spare ?? SPARE
    if (this.#last && fresh().length < spare && fresh().every(({ process }) => process.isReady)) {
      this.#add(this.#last.packages)
    }
  }

  /** The waiting runs that could run, if there were processes for them. */
  #startable(): Waiting[] {
    const running = new Map(this.#running)
    return this.#waiting.filter(({ run: { owner } }) => {
      const count = (running.get(owner) ?? 0) + 1
      running.set(owner, count)
      return owner === null || count <= PROCESSES_OF_ONE
    })
  }

  /** Takes a process that has run no code, or else one that has, for the same caller. */
  #takeFor({ run, packages }: Waiting): WarmProcess | undefined {
    for (const each of this.#resting) if (each.packages !== packages) this.#end(each)
    const ready = this.#resting.filter(({ process }) => process.isReady)
    const key = keyOf(run)
    const taken =
      ready.find((each) => each.key === null) ??
      ready.find((each) => each.key === key && each.process.code === run.code)
    this.#resting = this.#resting.filter((each) => each !== taken)
    return taken?.process
  }

  /** Starts a process, if there is room for one. */
  #add(packages: string): void {
    if (this.#isClosed) return
    if (this.#all.size >= PROCESSES) {
      const used = this.#resting.find(({ key }) => key !== null)
      const isEnding = [...this.#all].some((each) => !each.isAlive)
      // The end of one makes room.
      if (used && !isEnding) this.#end(used)
      return
    }
    const process = new WarmProcess(
      this.#fork,
      startOf(this.#options.packagesDir, this.#last?.preloads ?? []),
    )
    const resting: Resting = { process, packages, key: null }
    this.#all.add(process)
    this.#resting = [...this.#resting, resting]
    void process.started.then((isStarted) => {
      if (!isStarted && this.#resting.includes(resting)) {
        this.#end(resting)
        this.#last = null
        this.#startable()[0]?.end('start', process.whyNot)
      }
      this.#next()
    })
    void process.gone.then(() => {
      this.#all.delete(process)
      this.#end(resting)
      this.#next()
    })
  }

  #start(waiting: Waiting, process: WarmProcess): void {
    const { run, packages } = waiting
    const { owner } = run
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1)
    clearTimeout(this.#idle)
    waiting.start(process)
    void process.free.then((isFree) => {
      const left = (this.#running.get(owner) ?? 1) - 1
      if (left > 0) this.#running.set(owner, left)
      else this.#running.delete(owner)
      const isFresh = process.code === null
      const key = isFresh ? null : keyOf(run)
      if (isFree && !this.#isClosed && (isFresh || key !== null)) this.#rest({ process, packages, key })
      else process.kill()
      if (this.#running.size === 0) this.#waitIdle()
      this.#next()
    })
  }

  #rest(resting: Resting): void {
    this.#resting = [...this.#resting, resting]
    void resting.process.gone.then(() => this.#end(resting))
    // A program that has nothing else to do may end.
    if (resting.key !== null) setTimeout(() => this.#end(resting), USED_MS).unref()
  }

  #waitIdle(): void {
    this.#idle = setTimeout(() => {
      this.#last = null
      for (const each of this.#resting) this.#end(each)
    }, this.#options.idle_ms ?? IDLE_MS)
    this.#idle.unref()
  }

  /** Ends a process, if it still waits for a run. */
  #end(resting: Resting): void {
    if (!this.#resting.includes(resting)) return
    this.#resting = this.#resting.filter((each) => each !== resting)
    resting.process.kill()
  }
}

/** Whose code a run is of, and for whom; null where that is not known. SECURITY: only these two may share a process. */
function keyOf({ owner, caller }: Run): string | null {
  return owner === null || caller === null ? null : JSON.stringify([owner, caller])
}

/** What the next run will probably need too. */
function preloadsOf({ application, code }: Run): Preload[] {
  return [...(application ? ['client' as const] : []), ...(/\bfetch\b/.test(code) ? ['fetch' as const] : [])]
}

function lengthOf(run: Run): number {
  return (run.args?.length ?? 0) + run.code.length
}
