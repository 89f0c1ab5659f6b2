import fs from 'node:fs'
import { recordCommit } from './commit-count.ts'
import type { Database } from './open.ts'
import { toCofferError } from './storage-error.ts'

/** A commit that the disk has not confirmed. */
type UnsyncedCommit = {
  readonly then: (error: unknown) => void
  /**
   * To wait for the disk at once. SECURITY: the system tells each descriptor once of a failure, and the one that the
   * thread waits with may have been told. Null where the log could not be opened.
   */
  readonly descriptor: number | null
}

/** The first try may fail only because SQLite's own descriptor of the log has yet to be told of the failure. */
const MAX_ATTEMPTS = 2

/**
 * Commits that wait for the disk in a thread of Node, so that other calls are answered meanwhile. Only one at a time:
 * a power cut leaves at most one unfinished commit at the end of the log.
 */
export class LogSync {
  readonly #db: Database
  readonly #assertPresent: () => void
  #unsynced: UnsyncedCommit | null = null
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

  /**
   * Runs one transaction, whose commit does not wait for the disk. If it commits, `begin` must follow. Rethrows what it
   * throws.
   */
  runUnsynced<T>(transaction: () => T): T {
    this.#db.pragma('synchronous = NORMAL')
    try {
      return transaction()
    } finally {
      // Every other commit waits for the disk.
      this.#db.pragma('synchronous = FULL')
    }
  }

  /** Calls `then` once the last commit is on disk and counted, or with the error if the disk refuses it. */
  startSync(then: (error: unknown) => void): void {
    const opened = openTwice(`${this.#db.name}-wal`)
    const unsynced = { then, descriptor: opened?.spare ?? null }
    this.#unsynced = unsynced
    const endIfCurrent = (isOnDisk: boolean) => {
      if (this.#unsynced === unsynced) this.#endSync(isOnDisk)
    }
    if (!opened) {
      setImmediate(() => endIfCurrent(false))
      return
    }
    fs.fdatasync(opened.first, (error) => {
      closeInBackground(opened.first)
      endIfCurrent(!error)
    })
  }

  /** Waits until the disk has confirmed the last commit, and calls its `then`. Never throws. */
  finish(): void {
    if (this.#unsynced) this.#endSync(syncNow(this.#unsynced.descriptor))
  }

  /** As `finish`, before every other commit. Throws `storage_full` or `unavailable` if the disk has refused one. */
  assertSynced(): void {
    this.finish()
    if (this.#hasFailed) this.#repairLog()
  }

  #endSync(isOnDisk: boolean): void {
    const unsynced = this.#unsynced
    this.#unsynced = null
    if (typeof unsynced?.descriptor === 'number') closeInBackground(unsynced.descriptor)
    let failure: unknown = null
    try {
      // A disk that takes a later commit may still lack the one that it refused.
      if (!isOnDisk || this.#hasFailed) this.#repairLog()
      recordCommit(this.#db)
    } catch (error) {
      this.#hasFailed = true
      failure = error
    }
    unsynced?.then(failure)
  }

  /** What the disk refused to take from the log goes into the file, which SQLite syncs. Waits for no other reader. */
  #repairLog(): void {
    this.#assertPresent()
    const busyTimeout = this.#db.pragma('busy_timeout', { simple: true })
    this.#db.pragma('busy_timeout = 0')
    try {
      this.#moveLog()
    } finally {
      this.#db.pragma(`busy_timeout = ${busyTimeout}`)
    }
  }

  #moveLog(): void {
    let failure: unknown
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
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

/** Opened for each commit: another log may have taken the place of the last one. The log has no locks to lose. */
function openTwice(log: string): { first: number; spare: number } | null {
  let first: number | null = null
  try {
    first = fs.openSync(log, 'r+')
    return { first, spare: fs.openSync(log, 'r+') }
  } catch {
    if (first !== null) closeInBackground(first)
    return null
  }
}

/** Whether the disk has everything of the log. */
function syncNow(descriptor: number | null): boolean {
  if (descriptor === null) return false
  try {
    fs.fdatasyncSync(descriptor)
    return true
  } catch {
    return false
  }
}

/** What closing may say was said by `fdatasync`. */
function closeInBackground(descriptor: number): void {
  fs.close(descriptor, () => {})
}
