import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { getThreadFile, type ReportIncident } from '../../engine/index.ts'

/** How often the main thread shows that it is not blocked, and how often the watchdog looks. */
const BEAT_MS = 500
/** Without a listener, these signals end the process even while no JavaScript can be called. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const
/** The blocked code follows a few frames of the watchdog itself. */
const STACK_LENGTH = 30

/** What the watchdog's thread is started with. */
export type WatchdogData = {
  /** One number, which the main thread increments. */
  readonly beats: Int32Array
  readonly beatMs: number
  /** The event that the thread emits on `process` in the blocked main thread. */
  readonly event: string
}

const EVENT = 'coffer-blocked'

/**
 * Starts a thread that notices when the main thread has run one piece of code for more than a second. The blocked
 * thread is interrupted to report an incident whose stack says what it runs. Until it is free again, SIGTERM and Ctrl-C
 * end the process at once instead of waiting for it: what was committed is on disk. Code outside JavaScript, such as a
 * call of the system that does not return, is not interrupted. Does not keep the process alive.
 */
export function startWatchdog(report: ReportIncident): void {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref()
  process.on(EVENT, () => {
    releaseSignals()
    report(createBlockedError(), 'main thread')
  })
  const workerData: WatchdogData = { beats, beatMs: BEAT_MS, event: EVENT }
  const worker = new Worker(getThreadFile(path.join(import.meta.dirname, 'watchdog-worker')), {
    workerData,
    name: 'watchdog',
  })
  worker.on('error', (error) => report(error, 'watchdog'))
  worker.unref()
}

/** Gives the signals their default effect until the main thread is free again. */
function releaseSignals(): void {
  for (const signal of SIGNALS) {
    const listeners = process.listeners(signal)
    process.removeAllListeners(signal)
    setImmediate(() => {
      for (const listener of listeners) process.on(signal, listener)
    })
  }
}

function createBlockedError(): Error {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = STACK_LENGTH
  try {
    return Object.assign(new Error('The main thread is blocked.'), { code: 'BLOCKED' })
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
