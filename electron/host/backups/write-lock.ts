import { CofferError } from '../../../shared/errors.ts'
import { toStorageError } from '../../engine/index.ts'
import { isLockTaken, LockFile } from '../files/lock-file.ts'

/**
 * Runs `write` under an exclusive lock on `<file>.writing`, which is removed afterwards. Throws `unavailable`, what
 * `write` throws, and `conflict` without waiting if another process or thread is writing.
 */
export function withWriteLock<T>(file: string, write: () => T): T {
  const lock = acquireWriteLock(file)
  try {
    return write()
  } finally {
    lock.remove()
  }
}

function acquireWriteLock(file: string): LockFile {
  try {
    return LockFile.acquire(`${file}.writing`, 0)
  } catch (error) {
    if (!isLockTaken(error)) throw toStorageError(error, file)
    throw new CofferError('conflict', `${file} is being written by another process. It was not changed.`)
  }
}
