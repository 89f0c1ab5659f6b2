import fs from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import type { CheckpointCommand, CheckpointReply, CheckpointWorkerData } from './checkpoint-worker.ts'
import { toCofferError } from './storage-error.ts'
import { getThreadFile } from './thread-file.ts'

/** The thread starts when the log has this many pages. */
const THREAD_START_PAGES = 3000
/** At this many pages, a checkpoint runs between writes, to leave fewer for the one during which writes wait. */
const EARLY_MOVE_PAGES = 8000
/** Before the log has more pages than this, writes wait for a checkpoint, so that the log stays below 40 MB. */
const MAX_LOG_PAGES = 9500
/**
 * The maximum number of checkpoints while writes wait. One may not be enough, because unqueued writes, such as a
 * sweep's, may occur in between.
 */
const MAX_ATTEMPTS = 3
/** The maximum time that writes wait for the thread, in case the disk hardly responds. */
const WRITE_WAIT_TIMEOUT_MS = 5000
/** How long closing waits for the thread. A checkpoint of a full log takes far less on any disk that responds. */
const THREAD_CLOSE_TIMEOUT_MS = 30_000

type CheckpointerDeps = {
  readonly file: string
  readonly key: Buffer
  /** Records how much of the log has been checkpointed. */
  readonly recordMoved: () => void
  /** Pauses queued writes, or resumes them. */
  readonly pause: (isPaused: boolean) => void
  /** Whether the files at their paths still belong to the vault. */
  readonly canMove: () => boolean
  readonly report: (error: unknown) => void
}

type LogProgress = { readonly frames: number; readonly moved: number }

/**
 * Checkpoints the write-ahead log in a thread with a separate connection, so that calls run meanwhile. SQLite
 * restarts a log only once all of it is in the database file. Most of it is therefore checkpointed while writes
 * continue, and writes wait only for the rest. Without the thread, SQLite checkpoints at a commit when the log has
 * 12,000 pages (`wal_autocheckpoint`).
 */
export class Checkpointer {
  readonly #deps: CheckpointerDeps
  readonly #key: Buffer
  readonly #ino: number
  readonly #dev: number
  #worker: Worker | null = null
  #closed = new Int32Array(new SharedArrayBuffer(4))
  /** Whether a checkpoint is running for which writes are waiting, or have waited until the time limit. */
  #isMoving = false
  #attempts = 0
  /** The state of the checkpoint of this log that runs while writes continue. */
  #early: 'no' | 'begun' | 'done' = 'no'
  #log: LogProgress = { frames: 0, moved: 0 }
  #maxPages = MAX_LOG_PAGES
  /** Whether `runExclusive` needs the file without other connections. */
  #isSuspended = false
  /** Whether the thread has failed, or the vault is being closed. */
  #isEnded = false
  #hasFailed = false
  /** Limits the time that writes wait. */
  #waitTimer: NodeJS.Timeout | null = null
  /** Whether writes have waited for the maximum time. They do not wait again until the thread has replied. */
  #hasTimedOut = false

  /** Copies the key, so the caller may wipe its own. */
  constructor(deps: CheckpointerDeps) {
    this.#deps = deps
    // SECURITY: in separate memory, so that it can be wiped and is not part of a pool.
    this.#key = Buffer.from(new Uint8Array(deps.key).buffer)
    const { ino, dev } = fs.statSync(deps.file)
    this.#ino = ino
    this.#dev = dev
  }

  /** Called with the length of the log after every commit, and after a checkpoint has been recorded. Never throws. */
  onCommit(log: LogProgress): void {
    const isNew = log.frames < this.#log.frames
    // The log has restarted, so no other reader prevents a restart any longer.
    if (isNew) {
      this.#maxPages = MAX_LOG_PAGES
      if (this.#early === 'done') this.#early = 'no'
    }
    const added = isNew ? log.frames : log.frames - this.#log.frames
    this.#log = log
    if (this.#isEnded || this.#isSuspended) return
    if (log.frames >= THREAD_START_PAGES && !this.#worker) this.#startThread()
    if (this.#isMoving) return
    // Another commit of this size would exceed the limit.
    if (log.frames + added >= this.#maxPages) {
      this.#attempts = 0
      this.#pauseWrites()
      this.#moveLog()
    } else if (log.frames >= EARLY_MOVE_PAGES && this.#early === 'no' && this.#deps.canMove()) {
      this.#early = 'begun'
      this.#worker?.postMessage('move' satisfies CheckpointCommand)
    }
  }

  /** Closes the thread's connection and returns once it is closed. A new thread starts when the log is long again. */
  stop(): void {
    const worker = this.#worker
    if (!worker) return
    this.#worker = null
    this.#early = 'no'
    worker.postMessage('close' satisfies CheckpointCommand)
    const ended = Atomics.wait(this.#closed, 0, 0, THREAD_CLOSE_TIMEOUT_MS)
    if (ended === 'timed-out') {
      void worker.terminate()
      this.#deps.report(new Error('The checkpoint thread did not end.'))
    }
    this.#markIdle()
  }

  /** Closes the thread's connection, and starts no other until `action` has returned. */
  runExclusive(action: () => void): void {
    this.stop()
    this.#isSuspended = true
    try {
      action()
    } finally {
      this.#isSuspended = false
    }
  }

  /** Closes the thread's connection permanently, and wipes the key. */
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
      worker.on('exit', () => this.#onThreadExit(worker, new Error('The checkpoint thread ended.')))
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
      // A failed checkpoint is retried, and reported, while writes wait.
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

  /** Handles a failed checkpoint: the log remains, and is checkpointed again once it has grown. */
  #onMoveFailure(code: string): void {
    if (!this.#hasFailed) this.#deps.report(toCofferError({ code }))
    this.#hasFailed = true
    this.#maxPages = this.#log.frames + THREAD_START_PAGES
    this.#markIdle()
  }

  /** Pauses writes, for all attempts together no longer than `WRITE_WAIT_TIMEOUT_MS`. */
  #pauseWrites(): void {
    this.#deps.pause(true)
    this.#waitTimer = setTimeout(() => this.#onTimeout(), WRITE_WAIT_TIMEOUT_MS).unref()
  }

  /** Lets writes continue. The log then grows until the thread replies, or until SQLite checkpoints it at a commit. */
  #onTimeout(): void {
    this.#hasTimedOut = true
    if (!this.#hasFailed) this.#deps.report(new Error('The checkpoint thread did not respond in time.'))
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

  /** Stops using the thread. From now on, SQLite checkpoints the log at commits. */
  #giveUp(error: unknown): void {
    this.#isEnded = true
    this.#key.fill(0)
    if (!this.#hasFailed) this.#deps.report(error)
    this.#markIdle()
  }
}
