import fs from 'node:fs'
import { noteCommit } from './commit-count.ts'
import type { Database } from './open.ts'
import { toCofferError } from './storage-error.ts'

/** A commit that the disk has not confirmed. */
type Unsynced = {
  readonly then: (error: unknown) => void
  /**
   * To wait for the disk at once. SECURITY: the system tells each descriptor once of a failure, and the one that the
   * thread waits with may have been told. Null where the log could not be opened.
   */
  readonly descriptor: number | null
}

/** The first try may fail only because SQLite's own descriptor of the log has yet to be told of the failure. */
const TRIES = 2

/**
 * Commits that wait for the disk in a thread of Node, so that other calls are answered meanwhile. Only one at a time:
 * a power cut leaves at most one unfinished commit at the end of the log.
 */
export class LogSync {
  readonly #db: Database
  readonly #assertPresent: () => void
  #unsynced: Unsynced | null = null
  /** The disk has refused a commit, which is still in the log: the commits behind it would be lost with it. */
  #hasFailed = false

  /** `assertPresent` throws if the files are not the vault's own any more. */
  constructor(db: Database, assertPresent: () => void) {
    this.#db = db
    this.#assertPresent = assertPresent
  }

  /** Whether the disk has not confirmed the last commit yet. No other may begin here. */
  get isBusy(): boolean {
    return this.#unsynced !== null
  }

  /** Runs one transaction, which commits without waiting for the disk. `begin` must follow. Rethrows what it throws. */
  unsynced<T>(transaction: () => T): T {
    this.#db.pragma('synchronous = NORMAL')
    try {
      return transaction()
    } finally {
      // Every other commit waits for the disk.
      this.#db.pragma('synchronous = FULL')
    }
  }

  /** Calls `then` once the last commit is on disk and counted, or with the error if the disk refuses it. */
  begin(then: (error: unknown) => void): void {
    const opened = this.#openLog()
    const unsynced = { then, descriptor: opened.descriptor }
    this.#unsynced = unsynced
    const end = (error: unknown) => {
      if (this.#unsynced === unsynced) this.#end(error)
    }
    if ('failure' in opened) {
      setImmediate(() => end(opened.failure))
      return
    }
    fs.fdatasync(opened.waits, (error) => {
      close(opened.waits)
      end(error)
    })
  }

  /** Opened each time: another log may have taken the place of the last one. The log has no locks to lose. */
  #openLog(): { waits: number; descriptor: number } | { failure: unknown; descriptor: null } {
    const log = `${this.#db.name}-wal`
    let waits: number | null = null
    try {
      waits = fs.openSync(log, 'r+')
      return { waits, descriptor: fs.openSync(log, 'r+') }
    } catch (failure) {
      if (waits !== null) close(waits)
      return { failure, descriptor: null }
    }
  }

  /** Waits until the disk has confirmed the last commit, and calls its `then`. Never throws. */
  finish(): void {
    if (this.#unsynced) this.#end(syncNow(this.#unsynced))
  }

  /** As `finish`, before every other commit. Throws `storage_full` or `unavailable` if the disk has refused one. */
  settle(): void {
    this.finish()
    if (this.#hasFailed) this.#repair()
  }

  #end(error: unknown): void {
    const unsynced = this.#unsynced
    this.#unsynced = null
    if (typeof unsynced?.descriptor === 'number') close(unsynced.descriptor)
    let failure: unknown = null
    try {
      // What the disk refused before is behind no later commit that it takes.
      if (error || this.#hasFailed) this.#repair()
      noteCommit(this.#db)
    } catch (left) {
      this.#hasFailed = true
      failure = left
    }
    unsynced?.then(failure)
  }

  /** What the disk refused to take from the log goes into the file, which SQLite syncs. Waits for no other reader. */
  #repair(): void {
    this.#assertPresent()
    const patience = this.#db.pragma('busy_timeout', { simple: true })
    this.#db.pragma('busy_timeout = 0')
    try {
      this.#moveLog()
    } finally {
      this.#db.pragma(`busy_timeout = ${patience}`)
    }
  }

  #moveLog(): void {
    let failure: unknown
    for (let tried = 0; tried < TRIES; tried++) {
      try {
        const [moved] = this.#db.pragma('wal_checkpoint(FULL)') as {
          busy: number
          log: number
          checkpointed: number
        }[]
        if (moved?.busy === 0 && moved.log === moved.checkpointed) {
          this.#hasFailed = false
          return
        }
        failure = { code: 'SQLITE_IOERR' }
      } catch (error) {
        failure = error
      }
    }
    throw toCofferError(failure)
  }
}

function syncNow({ descriptor }: Unsynced): unknown {
  try {
    if (descriptor !== null) fs.fdatasyncSync(descriptor)
    return descriptor === null
  } catch (error) {
    return error
  }
}

/** What closing may say was said by `fdatasync`. */
function close(descriptor: number): void {
  fs.close(descriptor, () => {})
}
