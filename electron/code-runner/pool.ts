import { createStartOptions, type Fork, forkNode } from './fork.ts'
import { START_TIMEOUT_MS } from './limits.ts'
import { findOutsideLink } from './links.ts'
import type { CodeRun, FailureReason, RunResult } from './run.ts'
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
const MAX_PROCESSES = 8
/** The most that run code of one owner at a time: code that is slow leaves room for other code. */
const MAX_PROCESSES_PER_OWNER = 4
/** Both sides of a proxied call may be code. */
const DEFAULT_SPARE = 2
/** The most runs that wait, and the most characters of what they bring. */
const MAX_QUEUED_RUNS = 256
const MAX_QUEUED_LENGTH = 64 * 1024 * 1024
const IDLE_TIMEOUT_MS = 60_000
/** How long a process that has run code waits for a run of the same caller. */
const REUSE_TIMEOUT_MS = 1000

type QueuedRun = {
  readonly run: CodeRun
  /** Which packages there are. */
  readonly packages: string
  start(process: WarmProcess): void
  end(reason: FailureReason, detail: string): void
}
/** A process that waits for a run; `key` says whose code it has run, and for whom. */
type IdleProcess = { readonly process: WarmProcess; readonly packages: string; readonly key: string | null }

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
  #idleProcesses: readonly IdleProcess[] = []
  /** How many runs of an owner are under way. */
  readonly #running = new Map<string | null, number>()
  readonly #onExit = () => this.#killAll()
  #queue: readonly QueuedRun[] = []
  #idleTimer: NodeJS.Timeout | undefined
  /** What the last run of code needed, so that a process for the next one is started; null while none is expected. */
  #last: { readonly packages: string; readonly preloads: readonly Preload[] } | null = null
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
    this.#fork = options.fork ?? forkNode()
    process.once('exit', this.#onExit)
  }

  /** Carries out a run. Never rejects: every failure is part of the result. */
  async run(run: CodeRun): Promise<RunResult> {
    const started = performance.now()
    const createFailure = (reason: FailureReason, detail: string): RunResult => ({
      ended: { kind: 'failed', reason, detail },
      console: '',
      duration_ms: performance.now() - started,
    })
    if (this.#isClosed || run.signal?.aborted) return createFailure('cancelled', 'The run was cancelled.')
    const { at: packages, link } = await findOutsideLink(this.#options.packagesDir)
    if (link !== null) {
      return createFailure(
        'start',
        `The packages folder has a link that leads out of it: ${link}. Reactors run without it.`,
      )
    }
    if (this.#isClosed || run.signal?.aborted) return createFailure('cancelled', 'The run was cancelled.')
    const length = this.#queue.reduce((sum, each) => sum + measureRun(each.run), measureRun(run))
    if (this.#queue.length >= MAX_QUEUED_RUNS || (length > MAX_QUEUED_LENGTH && this.#queue.length > 0)) {
      return createFailure('busy', 'Too many runs of reactors wait already.')
    }
    return new Promise((resolve) => {
      const timeoutMs = Math.max(run.limit_ms, START_TIMEOUT_MS)
      const timer = setTimeout(() => failRun('busy', 'No process was free in time.'), timeoutMs)
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

  /** Kills every process and waits until they are gone. Runs that wait or are under way end as `cancelled`. */
  async close(): Promise<void> {
    this.#isClosed = true
    process.removeListener('exit', this.#onExit)
    clearTimeout(this.#idleTimer)
    for (const queued of this.#queue) queued.end('cancelled', 'The run was cancelled.')
    const exits = [...this.#all].map((each) => each.exited)
    this.#killAll()
    await Promise.all(exits)
  }

  #killAll(): void {
    for (const each of this.#all) each.kill()
  }

  /** Starts every waiting run that there is a process for, and processes for the others. */
  #startNext(): void {
    for (const queued of this.#listStartable()) {
      const process = this.#takeFor(queued)
      if (process) this.#startRun(queued, process)
    }
    const listFresh = () => this.#idleProcesses.filter(({ key }) => key === null)
    const starting = listFresh().filter(({ process }) => !process.isReady).length
    for (const { packages } of this.#listStartable().slice(starting)) this.#addProcess(packages)
    // One after another, so that they take little from what runs.
    const spare = this.#options.spare ?? DEFAULT_SPARE
    if (this.#last && listFresh().length < spare && listFresh().every(({ process }) => process.isReady)) {
      this.#addProcess(this.#last.packages)
    }
  }

  /** The waiting runs that could run, if there were processes for them. */
  #listStartable(): QueuedRun[] {
    const running = new Map(this.#running)
    return this.#queue.filter(({ run: { owner } }) => {
      const count = (running.get(owner) ?? 0) + 1
      running.set(owner, count)
      return owner === null || count <= MAX_PROCESSES_PER_OWNER
    })
  }

  /** Takes a process that has run no code, or else one that has, for the same caller. */
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

  /** Starts a process, if there is room for one. */
  #addProcess(packages: string): void {
    if (this.#isClosed) return
    if (this.#all.size >= MAX_PROCESSES) {
      const used = this.#idleProcesses.find(({ key }) => key !== null)
      const isEnding = [...this.#all].some((each) => !each.isAlive)
      // The end of one makes room.
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
      const left = (this.#running.get(owner) ?? 1) - 1
      if (left > 0) this.#running.set(owner, left)
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
    // A program that has nothing else to do may end.
    if (idle.key !== null) setTimeout(() => this.#endProcess(idle), REUSE_TIMEOUT_MS).unref()
  }

  #startIdleTimer(): void {
    this.#idleTimer = setTimeout(() => {
      this.#last = null
      for (const each of this.#idleProcesses) this.#endProcess(each)
    }, this.#options.idle_ms ?? IDLE_TIMEOUT_MS)
    this.#idleTimer.unref()
  }

  /** Ends a process, if it still waits for a run. */
  #endProcess(idle: IdleProcess): void {
    if (!this.#idleProcesses.includes(idle)) return
    this.#idleProcesses = this.#idleProcesses.filter((each) => each !== idle)
    idle.process.kill()
  }
}

/** Whose code a run is of, and for whom; null where that is not known. SECURITY: only these two may share a process. */
function toReuseKey({ owner, caller }: CodeRun): string | null {
  return owner === null || caller === null ? null : JSON.stringify([owner, caller])
}

/** What the next run will probably need too. */
function listPreloads({ application, code }: CodeRun): Preload[] {
  return [...(application ? ['client' as const] : []), ...(/\bfetch\b/.test(code) ? ['fetch' as const] : [])]
}

function measureRun(run: CodeRun): number {
  return (run.args?.length ?? 0) + run.code.length
}
