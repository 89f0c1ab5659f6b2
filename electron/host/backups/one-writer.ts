import { CofferError } from '../../../shared/errors.ts'
import { storageError } from '../../engine/db/storage-error.ts'
import { isTaken, LockFile } from '../files/lock-file.ts'

/**
 * Runs `write` under an exclusive lock on `<file>.writing`, which is removed afterwards. Throws `conflict` at once
 * where another process or thread is writing, `unavailable`, and what `write` throws.
 */
export function asOneWriter<T>(file: string, write: () => T): T {
  const lock = take(file)
  try {
    return write()
  } finally {
    lock.remove()
  }
}

function take(file: string): LockFile {
  try {
    return LockFile.take(`${file}.writing`, 0)
  } catch (error) {
    if (!isTaken(error)) throw storageError(error, file)
    throw new CofferError('conflict', `${file} is being written by another process. It was left as it is.`)
  }
}
