import fs from 'node:fs'
import Driver from 'better-sqlite3'
import { CofferError } from '../../shared/errors.ts'
import { storageError } from '../engine/db/storage-error.ts'

const TRIES = 5

/**
 * Runs what writes `file` while no other process or thread does the same. The lock is SQLite's own on `<file>.writing`,
 * as for a vault (`ProcessLock`): the system takes it from a dead process. Nothing of it is left. Throws `conflict` at
 * once where somebody else writes, `unavailable`, and what `write` throws.
 */
export function asOneWriter<T>(file: string, write: () => T): T {
  const name = `${file}.writing`
  const lock = take(file, name)
  try {
    return write()
  } finally {
    // Windows removes no file that is open, so there it goes only after, and only if nobody else has opened it.
    if (process.platform !== 'win32') remove(name)
    lock.close()
    if (process.platform === 'win32') remove(name)
  }
}

function take(file: string, name: string): Driver.Database {
  for (let attempt = 1; ; attempt++) {
    let lock: Driver.Database | undefined
    try {
      makeIfMissing(name)
      const { ino } = fs.statSync(name)
      lock = new Driver(name, { timeout: 0, fileMustExist: true })
      lock.exec('BEGIN EXCLUSIVE')
      // Whoever had it before may have removed it meanwhile; then this is a lock that nobody else finds.
      if (fs.statSync(name).ino === ino) return lock
      throw new CofferError('conflict', `${file} is being written by others. Try again.`)
    } catch (error) {
      lock?.close()
      if ((error as { code?: unknown }).code === 'SQLITE_BUSY') {
        throw new CofferError(
          'conflict',
          `${file} is being written by another process. It was left to that one.`,
        )
      }
      if (attempt === TRIES) throw storageError(error, file)
    }
  }
}

/** SECURITY: SQLite would make it readable by others, who could then keep the owner out by a lock of their own. */
function makeIfMissing(name: string): void {
  try {
    fs.closeSync(fs.openSync(name, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function remove(name: string): void {
  try {
    fs.rmSync(name, { force: true })
  } catch {
    // Empty, and whoever writes the file next takes it over.
  }
}
