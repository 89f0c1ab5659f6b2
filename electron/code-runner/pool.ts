import { createStartOptions, type Fork, forkIsolated } from './fork.ts'
import { START_TIMEOUT_MS } from './limits.ts'
import { type FolderScan, findOutsideLink } from './links.ts'
import type { CodeRun, FailureReason, RunResult } from './run.ts'
import type { Preload } from './runner/messages.ts'
import { WarmProcess } from './warm-process.ts'

export type PoolOptions = {
  /** The packages folder, which contains `node_modules` and may not exist yet; null for none. */
  readonly packagesDir: string | null
  /** How to start a process; with the current Node, in the strongest isolation that works, by default. */
  readonly fork?: Fork | Promise<Fork>
  /** How many spare processes to start in advance; 2 by default. */
  readonly spare?: number
  /** How long idle processes wait for a run before they are ended. */
  readonly idle_ms?: number
}

/** The maximum number of processes. It exceeds the number of cores, because code mostly waits for I/O. */
const MAX_PROCESSES = 8
/** The maximum number of runs of the same code (`CodeRun.owner`), so that slow code does not block other code. */
const MAX_PROCESSES_PER_OWNER = 4
/** Two, because a proxied call may run code for both the request and the response. */
const DEFAULT_SPARE = 2
/** The maximum number of queued runs, and the maximum total length of their code and arguments, in characters. */
const MAX_QUEUED_RUNS = 256
const MAX_QUEUED_LENGTH = 64 * 1024 * 1024
const IDLE_TIMEOUT_MS = 60_000
/** How long after a run starts or ends a spare process is started, so that starting it does not delay the response. */
const SPARE_DELAY_MS = 10
/** How long a process that has run code waits for another run of the same caller. */
const REUSE_TIMEOUT_MS = 1000

type QueuedRun = {
  readonly run: CodeRun
  /** Identifies the state of the packages folder. */
  readonly packages: string
  start(process: WarmProcess): void
  end(reason: FailureReason, detail: string): void
}
/** A process that waits for a run; `key` identifies the code that it has run and the caller, null if none. */
type IdleProcess = { readonly process: WarmProcess; readonly packages: string; readonly key: string | null }

/**
 * Runs code in separate processes (rule F-02), a bounded number at a time. Normally, a process serves one run, while
 * its replacement starts. A process is reused only if runs arrive faster than processes start, and only for the same
 * code and the same caller.
 */
export class ReactorPool {
  readonly #options: PoolOptions
  /** Null until the first run is expected. */
  #fork: Fork | null = null
  readonly #all = new Set<WarmProcess>()
  /** Processes that wait for a run, oldest first: new ones (started or still starting) and used ones. */
  #idleProcesses: readonly IdleProcess[] = []
  /** The number of active runs per `CodeRun.owner`. */
  readonly #running = new Map<string | null, number>()
  readonly #onExit = () => this.#killAll()
  #queue: readonly QueuedRun[] = []
  #idleTimer: NodeJS.Timeout | undefined
  #spareTimer: NodeJS.Timeout | undefined
  /** What the last run needed, so that the next process can preload it; null while no run is expected. */
  #last: { readonly packages: string; readonly preloads: readonly Preload[] } | null = null
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
    process.once('exit', this.#onExit)
  }

  /** Starts the spare processes, because a run is expected. Never rejects: a run reports why none can start. */
  async startSpares(): Promise<void> {
    const { at: packages, link } = await this.#prepareRuns()
    if (this.#isClosed || link !== null) return
    this.#last ??= { packages, preloads: ['https'] }
    this.#startNext()
    if (this.#running.size === 0) this.#startIdleTimer()
  }

  async #prepareRuns(): Promise<FolderScan> {
    this.#fork ??= await (this.#options.fork ?? forkIsolated())
    return findOutsideLink(this.#options.packagesDir)
  }

  /** Runs code. Never rejects: the result describes every failure. */
  async run(run: CodeRun): Promise<RunResult> {
    const started = performance.now()
    const createFailure = (reason: FailureReason, detail: string): RunResult => ({
      ended: { kind: 'failed', reason, detail },
      console: '',
      duration_ms: performance.now() - started,
    })
    if (this.#isClosed || run.signal?.aborted) return createFailure('cancelled', 'The run was cancelled.')
    const { at: packages, link } = await this.#prepareRuns()
    if (link !== null) {
      return createFailure(
        'start',
        `The packages folder contains a link that leads out of it: ${link}. Remove the link; reactors do not run while it exists.`,
      )
    }
    if (this.#isClosed || run.signal?.aborted) return createFailure('cancelled', 'The run was cancelled.')
    const length = this.#queue.reduce((sum, each) => sum + measureRun(each.run), measureRun(run))
    if (this.#queue.length >= MAX_QUEUED_RUNS || (length > MAX_QUEUED_LENGTH && this.#queue.length > 0)) {
      return createFailure('busy', 'Too many reactor runs are queued. Try again later.')
    }
    return new Promise((resolve) => {
      const timeoutMs = Math.max(run.limit_ms, START_TIMEOUT_MS)
      const timer = setTimeout(
        () => failRun('busy', 'No process became free in time. Try again later.'),
        timeoutMs,
      )
      const cancelRun = () => failRun('cancelled', 'The run was cancelled.')
      const leaveQueue = () => {
        clearTimeout(timer)
        run.signal?.removeEventListener('abort', cancelRun)
        this.#queue = this.#queue.filter((each) => each !== queued)
      }
      const failRun = (reason: FailureReason, detail: string) => {
        leaveQueue()
        resolve(createFailure(reason, detail))
      }
      const queued: QueuedRun = {
        run,
        packages,
        start: (process) => {
          leaveQueue()
          resolve(process.run(run))
        },
        end: failRun,
      }
      run.signal?.addEventListener('abort', cancelRun, { once: true })
      this.#queue = [...this.#queue, queued]
      if (run.args !== null) this.#last = { packages, preloads: listPreloads(run) }
      this.#startNext()
    })
  }

  /** Kills every process and waits for them to exit. Queued and active runs end as `cancelled`. */
  async close(): Promise<void> {
    this.#isClosed = true
    process.removeListener('exit', this.#onExit)
    clearTimeout(this.#idleTimer)
    clearTimeout(this.#spareTimer)
    for (const queued of this.#queue) queued.end('cancelled', 'The run was cancelled.')
    const exits = [...this.#all].map((each) => each.exited)
    this.#killAll()
    await Promise.all(exits)
  }

  #killAll(): void {
    for (const each of this.#all) each.kill()
  }

  /** Starts every queued run for which a process is ready, and starts processes for the remaining runs. */
  #startNext(): void {
    for (const queued of this.#listStartable()) {
      const process = this.#takeFor(queued)
      if (process) this.#startRun(queued, process)
    }
    const starting = this.#listFresh().filter(({ process }) => !process.isReady).length
    for (const { packages } of this.#listStartable().slice(starting)) this.#addProcess(packages)
    this.#spareTimer ??= setTimeout(() => this.#addSpare(), SPARE_DELAY_MS).unref()
  }

  /** Starts a spare process. They start one at a time, to take little processor time from active runs. */
  #addSpare(): void {
    this.#spareTimer = undefined
    const fresh = this.#listFresh()
    const spare = this.#options.spare ?? DEFAULT_SPARE
    if (this.#last && fresh.length < spare && fresh.every(({ process }) => process.isReady))
      this.#addProcess(this.#last.packages)
  }

  #listFresh(): IdleProcess[] {
    return this.#idleProcesses.filter(({ key }) => key === null)
  }

  /** The queued runs that could start if enough processes were ready. */
  #listStartable(): QueuedRun[] {
    const running = new Map(this.#running)
    return this.#queue.filter(({ run: { owner } }) => {
      const count = (running.get(owner) ?? 0) + 1
      running.set(owner, count)
      return owner === null || count <= MAX_PROCESSES_PER_OWNER
    })
  }

  /** Takes a process that has run no code, or else one that has run this code for the same caller. */
  #takeFor({ run, packages }: QueuedRun): WarmProcess | undefined {
    for (const each of this.#idleProcesses) if (each.packages !== packages) this.#endProcess(each)
    const ready = this.#idleProcesses.filter(({ process }) => process.isReady)
    const key = toReuseKey(run)
    const taken =
      ready.find((each) => each.key === null) ??
      ready.find((each) => each.key === key && each.process.code === run.code)
    this.#idleProcesses = this.#idleProcesses.filter((each) => each !== taken)
    return taken?.process
  }

  #addProcess(packages: string): void {
    if (this.#isClosed || this.#fork === null) return
    if (this.#all.size >= MAX_PROCESSES) {
      const used = this.#idleProcesses.find(({ key }) => key !== null)
      const isEnding = [...this.#all].some((each) => !each.isAlive)
      // When this idle process has exited, another one can start.
      if (used && !isEnding) this.#endProcess(used)
      return
    }
    const process = new WarmProcess(
      this.#fork,
      createStartOptions(this.#options.packagesDir, this.#last?.preloads ?? []),
    )
    const idle: IdleProcess = { process, packages, key: null }
    this.#all.add(process)
    this.#idleProcesses = [...this.#idleProcesses, idle]
    void process.started.then((isStarted) => {
      if (!isStarted && this.#idleProcesses.includes(idle)) {
        this.#endProcess(idle)
        this.#last = null
        this.#listStartable()[0]?.end('start', process.startFailure)
      }
      this.#startNext()
    })
    void process.exited.then(() => {
      this.#all.delete(process)
      this.#endProcess(idle)
      this.#startNext()
    })
  }

  #startRun(queued: QueuedRun, process: WarmProcess): void {
    const { run, packages } = queued
    const { owner } = run
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1)
    clearTimeout(this.#idleTimer)
    queued.start(process)
    void process.free.then((isFree) => {
      const remaining = (this.#running.get(owner) ?? 1) - 1
      if (remaining > 0) this.#running.set(owner, remaining)
      else this.#running.delete(owner)
      const isFresh = process.code === null
      const key = isFresh ? null : toReuseKey(run)
      if (isFree && !this.#isClosed && (isFresh || key !== null)) this.#markIdle({ process, packages, key })
      else process.kill()
      if (this.#running.size === 0) this.#startIdleTimer()
      this.#startNext()
    })
  }

  #markIdle(idle: IdleProcess): void {
    this.#idleProcesses = [...this.#idleProcesses, idle]
    void idle.process.exited.then(() => this.#endProcess(idle))
    // Unreferenced, so that the timer does not keep a program running.
    if (idle.key !== null) setTimeout(() => this.#endProcess(idle), REUSE_TIMEOUT_MS).unref()
  }

  #startIdleTimer(): void {
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => {
      this.#last = null
      for (const each of this.#idleProcesses) this.#endProcess(each)
    }, this.#options.idle_ms ?? IDLE_TIMEOUT_MS)
    this.#idleTimer.unref()
  }

  #endProcess(idle: IdleProcess): void {
    if (!this.#idleProcesses.includes(idle)) return
    this.#idleProcesses = this.#idleProcesses.filter((each) => each !== idle)
    idle.process.kill()
  }
}

/**
 * Combines the `owner` and the `caller` of a run into one key; null if either is unknown. SECURITY: only runs with the
 * same key may share a process.
 */
function toReuseKey({ owner, caller }: CodeRun): string | null {
  return owner === null || caller === null ? null : JSON.stringify([owner, caller])
}

/** Returns what the next run will probably need too, judging by this run. */
function listPreloads({ application, code, contract: { image } }: CodeRun): Preload[] {
  return [
    ...(/\b(crypto|https)\b/.test(code) ? ['https' as const] : []),
    ...(application && image === 'node-bt' ? ['client' as const] : []),
    ...(/\bfetch\b/.test(code) ? ['fetch' as const] : []),
  ]
}

function measureRun(run: CodeRun): number {
  return (run.args?.length ?? 0) + run.code.length
}
