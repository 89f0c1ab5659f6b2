import fs from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import type { CheckpointOrder } from './checkpoint-worker.ts'
import { toCofferError } from './storage-error.ts'
import { threadFile } from './thread-file.ts'

export type ToCheckpoints = 'move' | 'close'
/** `failed` is the code of SQLite or the system. */
export type FromCheckpoints = 'moved' | { readonly failed: string }

/** From this many pages on in the log, the thread is started. */
const START = 3000
/** From this many on, they are moved beside writes once, so that less is left to be moved while writes wait. */
const EARLY = 8000
/** They are moved into the file before there are more: the log stays below 40 MB. */
const MOST = 9500
/** How often it is tried while writes wait: what is not queued, such as a sweep, may write in between. */
const TRIES = 3
/** How long writes wait for the thread at most, where the disk hardly answers. */
const MOST_WAITED_MS = 5000
/** How long closing waits for the thread. Moving a full log takes far less, where the disk answers at all. */
const PATIENCE_MS = 30_000

type Parts = {
  readonly file: string
  readonly key: Buffer
  /** Notes how much of the log has been moved. */
  readonly note: () => void
  /** Holds queued writes back, and lets them go. */
  readonly pause: (isPaused: boolean) => void
  /** Whether the files are still the vault's own. */
  readonly mayMove: () => boolean
  readonly report: (error: unknown) => void
}

type Log = { readonly frames: number; readonly moved: number }

/**
 * Moves the write-ahead log into the file by a thread with a connection of its own, so that calls are answered
 * meanwhile. A log starts again from the top only once all of it has been moved: most of it is moved beside writes, and
 * writes wait for the rest. Without the thread, SQLite moves the log at a commit when it has 12,000 pages
 * (`wal_autocheckpoint`).
 */
export class Checkpointer {
  readonly #parts: Parts
  readonly #key: Buffer
  readonly #ino: number
  readonly #dev: number
  #worker: Worker | null = null
  #closed = new Int32Array(new SharedArrayBuffer(4))
  /** Writes wait, or have waited too long, for the thread. */
  #isMoving = false
  #tries = 0
  /** Whether this log is being moved, or has been moved, beside writes. */
  #early: 'no' | 'begun' | 'done' = 'no'
  #log: Log = { frames: 0, moved: 0 }
  #most = MOST
  /** Somebody needs the file alone. */
  #isAway = false
  /** The thread has failed, or the vault is being closed. */
  #isEnded = false
  #hasFailed = false
  /** Runs while writes wait. */
  #waited: NodeJS.Timeout | null = null
  /** Writes have waited as long as they do: they wait no more until the thread has answered. */
  #isLate = false

  /** Copies the key. */
  constructor(parts: Parts) {
    this.#parts = parts
    // SECURITY: in memory of its own, so that it can be wiped and is no part of a pool.
    this.#key = Buffer.from(new Uint8Array(parts.key).buffer)
    const { ino, dev } = fs.statSync(parts.file)
    this.#ino = ino
    this.#dev = dev
  }

  /** Called with the length of the log after every commit, and after what was moved has been noted. Never throws. */
  look(log: Log): void {
    const isNew = log.frames < this.#log.frames
    // Another reader kept the log from starting again; now it has.
    if (isNew) {
      this.#most = MOST
      if (this.#early === 'done') this.#early = 'no'
    }
    const added = isNew ? log.frames : log.frames - this.#log.frames
    this.#log = log
    if (this.#isEnded || this.#isAway) return
    if (log.frames >= START && !this.#worker) this.#start()
    if (this.#isMoving) return
    // Another commit like the last one would be too much.
    if (log.frames + added >= this.#most) {
      this.#tries = 0
      this.#hold()
      this.#move()
    } else if (log.frames >= EARLY && this.#early === 'no' && this.#parts.mayMove()) {
      this.#early = 'begun'
      this.#worker?.postMessage('move' satisfies ToCheckpoints)
    }
  }

  /** Closes the thread's connection; the next long log starts another. Returns once it is closed. */
  stop(): void {
    const worker = this.#worker
    if (!worker) return
    this.#worker = null
    this.#early = 'no'
    worker.postMessage('close' satisfies ToCheckpoints)
    const ended = Atomics.wait(this.#closed, 0, 0, PATIENCE_MS)
    if (ended === 'timed-out') {
      void worker.terminate()
      this.#parts.report(new Error('The thread of checkpoints did not end.'))
    }
    this.#rest()
  }

  /** Closes the thread's connection, and starts no other before `act` has returned. */
  without(act: () => void): void {
    this.stop()
    this.#isAway = true
    try {
      act()
    } finally {
      this.#isAway = false
    }
  }

  /** Closes the thread's connection for good, and wipes the key. */
  end(): void {
    this.#isEnded = true
    this.stop()
    this.#key.fill(0)
  }

  #start(): void {
    // SECURITY: the thread gets a copy that no pool holds, and wipes it.
    const key = new Uint8Array(this.#key)
    this.#closed = new Int32Array(new SharedArrayBuffer(4))
    const { file } = this.#parts
    const order: CheckpointOrder = { file, key, ino: this.#ino, dev: this.#dev, closed: this.#closed }
    try {
      const worker = new Worker(threadFile(path.join(import.meta.dirname, 'checkpoint-worker')), {
        workerData: order,
        transferList: [key.buffer],
        name: 'checkpoints',
      })
      this.#worker = worker
      worker.unref()
      worker.on('message', (message: FromCheckpoints) => {
        if (worker === this.#worker) this.#told(message)
      })
      worker.on('error', (error) => this.#died(worker, error))
      worker.on('exit', () => this.#died(worker, new Error('The thread of checkpoints ended.')))
    } catch (error) {
      this.#fail(error)
    }
  }

  #move(): void {
    if (this.#worker && this.#parts.mayMove()) {
      this.#isMoving = true
      this.#worker.postMessage('move' satisfies ToCheckpoints)
    } else {
      this.#rest()
    }
  }

  #told(message: FromCheckpoints): void {
    if (this.#early === 'begun') {
      this.#early = 'done'
      // What failed is tried again, and said, while writes wait.
      if (message === 'moved') this.#parts.note()
      return
    }
    if (message !== 'moved') {
      this.#failed(message.failed)
      return
    }
    const isInTime = !this.#isLate
    if (isInTime) this.#hasFailed = false
    this.#tries++
    this.#parts.note()
    const { frames, moved } = this.#log
    if (moved < frames && this.#tries < TRIES && isInTime) {
      this.#move()
      return
    }
    this.#most = moved < frames ? frames + START : MOST
    this.#rest()
  }

  /** For example on a full disk: the log stays, and is tried again once it has grown. */
  #failed(code: string): void {
    if (!this.#hasFailed) this.#parts.report(toCofferError({ code }))
    this.#hasFailed = true
    this.#most = this.#log.frames + START
    this.#rest()
  }

  /** Holds writes back, for all tries together no longer than `MOST_WAITED_MS`. */
  #hold(): void {
    this.#parts.pause(true)
    this.#waited = setTimeout(() => this.#late(), MOST_WAITED_MS).unref()
  }

  /** The log grows until the thread answers, or SQLite moves it at a commit. */
  #late(): void {
    this.#isLate = true
    if (!this.#hasFailed) this.#parts.report(new Error('The thread of checkpoints is late.'))
    this.#hasFailed = true
    this.#letGo()
  }

  #letGo(): void {
    if (this.#waited) clearTimeout(this.#waited)
    this.#waited = null
    this.#parts.pause(false)
  }

  #rest(): void {
    this.#isMoving = false
    this.#isLate = false
    this.#letGo()
  }

  #died(worker: Worker, error: unknown): void {
    if (worker !== this.#worker) return
    this.#worker = null
    this.#fail(error)
  }

  /** From here on, SQLite moves the log at commits. */
  #fail(error: unknown): void {
    this.#isEnded = true
    this.#key.fill(0)
    if (!this.#hasFailed) this.#parts.report(error)
    this.#rest()
  }
}
