import fs from 'node:fs'
import { noteCommit } from './commit-count.ts'
import type { Database } from './open.ts'
import { toCofferError } from './storage-error.ts'

/** A commit that the disk has not confirmed. */
type Unsynced = { readonly then: (error: unknown) => void }

/** Each retry finds the failure that another descriptor of the log has not been told of yet. */
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
    const unsynced = { then }
    this.#unsynced = unsynced
    const end = (error: unknown) => {
      if (this.#unsynced === unsynced) this.#end(error)
    }
    try {
      // Opened each time: another log may have taken the place of the last one. The log has no locks to lose.
      const descriptor = fs.openSync(`${this.#db.name}-wal`, 'r+')
      fs.fdatasync(descriptor, (error) => {
        fs.close(descriptor)
        end(error)
      })
    } catch (error) {
      setImmediate(() => end(error))
    }
  }

  /** Waits until the disk has confirmed the last commit, and calls its `then`. Never throws. */
  finish(): void {
    if (this.#unsynced) this.#end(this.#syncNow())
  }

  /** As `finish`, before every other commit. Throws `storage_full` or `unavailable` if the disk has refused one. */
  settle(): void {
    this.finish()
    if (this.#hasFailed) this.#repair()
  }

  #end(error: unknown): void {
    const unsynced = this.#unsynced
    this.#unsynced = null
    let failure = error
    try {
      if (error) this.#repair()
      failure = null
      noteCommit(this.#db)
    } catch (left) {
      this.#hasFailed = true
      failure = left
    }
    unsynced?.then(failure)
  }

  #syncNow(): unknown {
    try {
      const descriptor = fs.openSync(`${this.#db.name}-wal`, 'r+')
      try {
        fs.fdatasyncSync(descriptor)
      } finally {
        fs.closeSync(descriptor)
      }
      return null
    } catch (error) {
      return error
    }
  }

  /** What the disk refused to take from the log goes into the file, which SQLite syncs. */
  #repair(): void {
    this.#assertPresent()
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
