import { CofferError } from '../../../shared/errors.ts'
import { storageError } from '../../engine/db/storage-error.ts'
import { isTaken, LockFile } from '../files/lock-file.ts'

/**
 * Runs what writes `file` while no other process or thread does the same, under a lock on `<file>.writing`, of which
 * nothing is left. Throws `conflict` at once where somebody else writes, `unavailable`, and what `write` throws.
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
