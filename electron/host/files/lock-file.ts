import fs from 'node:fs'
import Driver from 'better-sqlite3'

const TRIES = 5

/**
 * A lock on an empty file: SQLite's own, which the system takes from a dead process, so that none is ever stale. Never
 * open such a file any other way: closing it would drop the lock (POSIX).
 */
export class LockFile {
  readonly #file: string
  readonly #lock: Driver.Database

  private constructor(file: string, lock: Driver.Database) {
    this.#file = file
    this.#lock = lock
  }

  /** Takes the lock, waiting at most `patience` ms. Throws what the system says: `isTaken` recognizes that of a lock somebody else has. */
  static take(file: string, patience: number): LockFile {
    for (let attempt = 1; ; attempt++) {
      let lock: Driver.Database | undefined
      try {
        makeIfMissing(file)
        const { ino } = fs.statSync(file)
        lock = new Driver(file, { timeout: patience, fileMustExist: true })
        lock.exec('BEGIN EXCLUSIVE')
        // Whoever had it before may have removed it meanwhile; then it is a lock that nobody else finds.
        if (fs.statSync(file).ino === ino) return new LockFile(file, lock)
        throw new Error('The lock was removed while it was taken.')
      } catch (error) {
        lock?.close()
        if (isTaken(error) || attempt === TRIES) throw error
      }
    }
  }

  /** Gives the lock back; the file stays for the next one. Safe to repeat. */
  release(): void {
    this.#lock.close()
  }

  /** Gives the lock back and removes the file. */
  remove(): void {
    // Windows removes no file that is open: there it goes after, and only where nobody else has opened it.
    if (process.platform !== 'win32') removeQuietly(this.#file)
    this.#lock.close()
    if (process.platform === 'win32') removeQuietly(this.#file)
  }
}

/** Whether an error says that somebody else has a lock. */
export function isTaken(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'SQLITE_BUSY'
}

/** SECURITY: SQLite would make it readable by others, who could then keep the owner out by a lock of their own. */
function makeIfMissing(file: string): void {
  try {
    fs.closeSync(fs.openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function removeQuietly(file: string): void {
  try {
    fs.rmSync(file, { force: true })
  } catch {
    // It is empty, and the next lock on it uses it.
  }
}
