import fs from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import type { CheckpointWorkerData } from './checkpoint-worker.ts'
import { toCofferError } from './storage-error.ts'
import { getThreadFile } from './thread-file.ts'

export type CheckpointCommand = 'move' | 'close'
/** `failed` is the code of SQLite or the system. */
export type CheckpointReply = 'moved' | { readonly failed: string }

/** From this many pages on in the log, the thread is started. */
const THREAD_START_PAGES = 3000
/** From this many on, they are moved beside writes once, so that less is left to be moved while writes wait. */
const EARLY_MOVE_PAGES = 8000
/** They are moved into the file before there are more: the log stays below 40 MB. */
const MAX_LOG_PAGES = 9500
/** How often it is tried while writes wait: what is not queued, such as a sweep, may write in between. */
const MAX_ATTEMPTS = 3
/** How long writes wait for the thread at most, where the disk hardly answers. */
const WRITE_WAIT_TIMEOUT_MS = 5000
/** How long closing waits for the thread. Moving a full log takes far less, where the disk answers at all. */
const THREAD_CLOSE_TIMEOUT_MS = 30_000

type CheckpointerDeps = {
  readonly file: string
  readonly key: Buffer
  /** Notes how much of the log has been moved. */
  readonly recordMoved: () => void
  /** Holds queued writes back, and lets them go. */
  readonly pause: (isPaused: boolean) => void
  /** Whether the files are still the vault's own. */
  readonly canMove: () => boolean
  readonly report: (error: unknown) => void
}

type LogProgress = { readonly frames: number; readonly moved: number }

/**
 * Moves the write-ahead log into the file by a thread with a connection of its own, so that calls are answered
 * meanwhile. A log starts again from the top only once all of it has been moved: most of it is moved beside writes, and
 * writes wait for the rest. Without the thread, SQLite moves the log at a commit when it has 12,000 pages
 * (`wal_autocheckpoint`).
 */
export class Checkpointer {
  readonly #deps: CheckpointerDeps
  readonly #key: Buffer
  readonly #ino: number
  readonly #dev: number
  #worker: Worker | null = null
  #closed = new Int32Array(new SharedArrayBuffer(4))
  /** Writes wait, or have waited too long, for the thread. */
  #isMoving = false
  #attempts = 0
  /** Whether this log is being moved, or has been moved, beside writes. */
  #early: 'no' | 'begun' | 'done' = 'no'
  #log: LogProgress = { frames: 0, moved: 0 }
  #maxPages = MAX_LOG_PAGES
  /** Somebody needs the file alone. */
  #isSuspended = false
  /** The thread has failed, or the vault is being closed. */
  #isEnded = false
  #hasFailed = false
  /** Runs while writes wait. */
  #waitTimer: NodeJS.Timeout | null = null
  /** Writes have waited as long as they do: they wait no more until the thread has answered. */
  #hasTimedOut = false

  /** Copies the key. */
  constructor(deps: CheckpointerDeps) {
    this.#deps = deps
    // SECURITY: in memory of its own, so that it can be wiped and is no part of a pool.
    this.#key = Buffer.from(new Uint8Array(deps.key).buffer)
    const { ino, dev } = fs.statSync(deps.file)
    this.#ino = ino
    this.#dev = dev
  }

  /** Called with the length of the log after every commit, and after what was moved has been noted. Never throws. */
  onCommit(log: LogProgress): void {
    const isNew = log.frames < this.#log.frames
    // Another reader kept the log from starting again; now it has.
    if (isNew) {
      this.#maxPages = MAX_LOG_PAGES
      if (this.#early === 'done') this.#early = 'no'
    }
    const added = isNew ? log.frames : log.frames - this.#log.frames
    this.#log = log
    if (this.#isEnded || this.#isSuspended) return
    if (log.frames >= THREAD_START_PAGES && !this.#worker) this.#startThread()
    if (this.#isMoving) return
    // Another commit like the last one would be too much.
    if (log.frames + added >= this.#maxPages) {
      this.#attempts = 0
      this.#pauseWrites()
      this.#moveLog()
    } else if (log.frames >= EARLY_MOVE_PAGES && this.#early === 'no' && this.#deps.canMove()) {
      this.#early = 'begun'
      this.#worker?.postMessage('move' satisfies CheckpointCommand)
    }
  }

  /** Closes the thread's connection; the next long log starts another. Returns once it is closed. */
  stop(): void {
    const worker = this.#worker
    if (!worker) return
    this.#worker = null
    this.#early = 'no'
    worker.postMessage('close' satisfies CheckpointCommand)
    const ended = Atomics.wait(this.#closed, 0, 0, THREAD_CLOSE_TIMEOUT_MS)
    if (ended === 'timed-out') {
      void worker.terminate()
      this.#deps.report(new Error('The thread of checkpoints did not end.'))
    }
    this.#markIdle()
  }

  /** Closes the thread's connection, and starts no other before `act` has returned. */
  runExclusive(act: () => void): void {
    this.stop()
    this.#isSuspended = true
    try {
      act()
    } finally {
      this.#isSuspended = false
    }
  }

  /** Closes the thread's connection for good, and wipes the key. */
  shutDown(): void {
    this.#isEnded = true
    this.stop()
    this.#key.fill(0)
  }

  #startThread(): void {
    // SECURITY: the thread gets a copy that no pool holds, and wipes it.
    const key = new Uint8Array(this.#key)
    this.#closed = new Int32Array(new SharedArrayBuffer(4))
    const { file } = this.#deps
    const threadData: CheckpointWorkerData = {
      file,
      key,
      ino: this.#ino,
      dev: this.#dev,
      closed: this.#closed,
    }
    try {
      const worker = new Worker(getThreadFile(path.join(import.meta.dirname, 'checkpoint-worker')), {
        workerData: threadData,
        transferList: [key.buffer],
        name: 'checkpoints',
      })
      this.#worker = worker
      worker.unref()
      worker.on('message', (message: CheckpointReply) => {
        if (worker === this.#worker) this.#onMessage(message)
      })
      worker.on('error', (error) => this.#onThreadExit(worker, error))
      worker.on('exit', () => this.#onThreadExit(worker, new Error('The thread of checkpoints ended.')))
    } catch (error) {
      this.#giveUp(error)
    }
  }

  #moveLog(): void {
    if (this.#worker && this.#deps.canMove()) {
      this.#isMoving = true
      this.#worker.postMessage('move' satisfies CheckpointCommand)
    } else {
      this.#markIdle()
    }
  }

  #onMessage(message: CheckpointReply): void {
    if (this.#early === 'begun') {
      this.#early = 'done'
      // What failed is tried again, and said, while writes wait.
      if (message === 'moved') this.#deps.recordMoved()
      return
    }
    if (message !== 'moved') {
      this.#onMoveFailure(message.failed)
      return
    }
    const isInTime = !this.#hasTimedOut
    if (isInTime) this.#hasFailed = false
    this.#attempts++
    this.#deps.recordMoved()
    const { frames, moved } = this.#log
    if (moved < frames && this.#attempts < MAX_ATTEMPTS && isInTime) {
      this.#moveLog()
      return
    }
    this.#maxPages = moved < frames ? frames + THREAD_START_PAGES : MAX_LOG_PAGES
    this.#markIdle()
  }

  /** For example on a full disk: the log stays, and is tried again once it has grown. */
  #onMoveFailure(code: string): void {
    if (!this.#hasFailed) this.#deps.report(toCofferError({ code }))
    this.#hasFailed = true
    this.#maxPages = this.#log.frames + THREAD_START_PAGES
    this.#markIdle()
  }

  /** Holds writes back, for all tries together no longer than `MOST_WAITED_MS`. */
  #pauseWrites(): void {
    this.#deps.pause(true)
    this.#waitTimer = setTimeout(() => this.#onTimeout(), WRITE_WAIT_TIMEOUT_MS).unref()
  }

  /** The log grows until the thread answers, or SQLite moves it at a commit. */
  #onTimeout(): void {
    this.#hasTimedOut = true
    if (!this.#hasFailed) this.#deps.report(new Error('The thread of checkpoints is late.'))
    this.#hasFailed = true
    this.#resumeWrites()
  }

  #resumeWrites(): void {
    if (this.#waitTimer) clearTimeout(this.#waitTimer)
    this.#waitTimer = null
    this.#deps.pause(false)
  }

  #markIdle(): void {
    this.#isMoving = false
    this.#hasTimedOut = false
    this.#resumeWrites()
  }

  #onThreadExit(worker: Worker, error: unknown): void {
    if (worker !== this.#worker) return
    this.#worker = null
    this.#giveUp(error)
  }

  /** From here on, SQLite moves the log at commits. */
  #giveUp(error: unknown): void {
    this.#isEnded = true
    this.#key.fill(0)
    if (!this.#hasFailed) this.#deps.report(error)
    this.#markIdle()
  }
}
