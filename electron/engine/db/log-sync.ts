import fs from 'node:fs'
import { recordCommit } from './commit-count.ts'
import type { Database } from './open.ts'
import { toCofferError } from './storage-error.ts'

/** A commit that the disk has not confirmed. */
type UnsyncedCommit = {
  readonly then: (error: unknown) => void
  /**
   * For a synchronous wait. SECURITY: the system reports a failure only once per descriptor, and the thread's
   * descriptor may already have received it. Null if the log could not be opened.
   */
  readonly descriptor: number | null
}

type CheckpointResult = { readonly busy: number; readonly log: number; readonly checkpointed: number }

/** The first attempt may fail only because SQLite's own descriptor of the log has not received the failure yet. */
const MAX_ATTEMPTS = 2

/**
 * Lets a Node thread wait until the disk has confirmed a commit, so that calls run meanwhile. Only one commit at a
 * time waits, so that a power cut leaves at most one unfinished commit at the end of the log.
 */
export class LogSync {
  readonly #db: Database
  readonly #assertPresent: () => void
  #unsynced: UnsyncedCommit | null = null
  /** Whether the disk has rejected a commit that is still in the log. Later commits would be lost with it. */
  #hasFailed = false

  /** `assertPresent` throws if the files no longer belong to the vault. */
  constructor(db: Database, assertPresent: () => void) {
    this.#db = db
    this.#assertPresent = assertPresent
  }

  /** Whether the disk has not confirmed the last commit yet. Until it has, no other commit may start here. */
  get isBusy(): boolean {
    return this.#unsynced !== null
  }

  /**
   * Runs one transaction whose commit does not wait for the disk. If it commits, `startSync` must follow.
   * Rethrows the transaction's error.
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

  /** Calls `then` once the last commit is on disk and counted, or with the error if the disk rejects it. */
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
      closeQuietly(opened.first)
      endIfCurrent(!error)
    })
  }

  /** Waits until the disk has confirmed the last commit, and calls its `then`. Never throws. */
  finish(): void {
    if (this.#unsynced) this.#endSync(syncNow(this.#unsynced.descriptor))
  }

  /**
   * Waits like `finish`, before a commit that does not use the thread. Throws `storage_full` or `unavailable` if the
   * disk has rejected a commit.
   */
  assertSynced(): void {
    this.finish()
    if (this.#hasFailed) this.#repairLog()
  }

  #endSync(isOnDisk: boolean): void {
    const unsynced = this.#unsynced
    this.#unsynced = null
    if (typeof unsynced?.descriptor === 'number') closeQuietly(unsynced.descriptor)
    let failure: unknown = null
    try {
      // A disk that accepts a later commit may still lack the one that it rejected.
      if (!isOnDisk || this.#hasFailed) this.#repairLog()
      recordCommit(this.#db)
    } catch (error) {
      this.#hasFailed = true
      failure = error
    }
    unsynced?.then(failure)
  }

  /** Checkpoints the commits that the disk rejected: SQLite then syncs the file. Does not wait for readers. */
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
        const [moved] = this.#db.pragma('wal_checkpoint(FULL)') as CheckpointResult[]
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

/**
 * Opens the log twice. Called for each commit, because another log may have replaced the last one. Closing it is
 * safe, because SQLite holds no locks on the log.
 */
function openTwice(log: string): { first: number; spare: number } | null {
  let first: number | null = null
  try {
    first = fs.openSync(log, 'r+')
    return { first, spare: fs.openSync(log, 'r+') }
  } catch {
    if (first !== null) closeQuietly(first)
    return null
  }
}

/** Returns whether the disk has the complete log. */
function syncNow(descriptor: number | null): boolean {
  if (descriptor === null) return false
  try {
    fs.fdatasyncSync(descriptor)
    return true
  } catch {
    return false
  }
}

/** Closes a descriptor here: another thread would cost more, and `fdatasync` has already reported any error. */
function closeQuietly(descriptor: number): void {
  try {
    fs.closeSync(descriptor)
  } catch {}
}
