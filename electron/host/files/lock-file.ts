import fs from 'node:fs'
import Driver from 'better-sqlite3'

const TRIES = 5

/**
 * A lock on an empty file. It is SQLite's own lock, which the system releases when a process dies, so it is never
 * stale. Never open such a file any other way: closing it would drop the lock (POSIX).
 */
export class LockFile {
  readonly #file: string
  readonly #lock: Driver.Database
  readonly #ino: number

  private constructor(file: string, lock: Driver.Database, ino: number) {
    this.#file = file
    this.#lock = lock
    this.#ino = ino
  }

  /** Whether the file is still at its path, where other processes look for the lock. */
  get isInPlace(): boolean {
    return fs.statSync(this.#file, { throwIfNoEntry: false })?.ino === this.#ino
  }

  /**
   * Acquires the lock, waiting at most `timeoutMs`. Throws the system's error. `isLockTaken` recognizes a lock held
   * by another process.
   */
  static acquire(file: string, timeoutMs: number): LockFile {
    for (let attempt = 1; ; attempt++) {
      let lock: Driver.Database | undefined
      try {
        createIfMissing(file)
        const { ino } = fs.statSync(file)
        lock = new Driver(file, { timeout: timeoutMs, fileMustExist: true })
        lock.exec('BEGIN EXCLUSIVE')
        // The previous holder may have removed the file in the meantime. Other processes would then not see this lock,
        // so this checks that the path still leads to the locked file.
        if (fs.statSync(file).ino === ino) return new LockFile(file, lock, ino)
        throw new Error('The lock file was removed while it was being locked.')
      } catch (error) {
        lock?.close()
        if (isLockTaken(error) || attempt === TRIES) throw error
      }
    }
  }

  /** Releases the lock. The file stays for the next holder. Safe to repeat. */
  release(): void {
    this.#lock.close()
  }

  remove(): void {
    // Windows cannot remove an open file, so on Windows the file is removed after closing, unless another process has
    // opened it.
    if (process.platform !== 'win32') removeQuietly(this.#file)
    this.#lock.close()
    if (process.platform === 'win32') removeQuietly(this.#file)
  }
}

/** Whether an error says that another process holds the lock. */
export function isLockTaken(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'SQLITE_BUSY'
}

/** SECURITY: SQLite would create the file readable by other users, who could then lock the owner out. */
function createIfMissing(file: string): void {
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
    // Harmless: the file is empty, and the next lock uses it.
  }
}
