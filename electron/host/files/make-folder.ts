import fs from 'node:fs'
import path from 'node:path'
import { CofferError } from '../../../shared/errors.ts'
import { toStorageError } from '../../engine/index.ts'
import { syncFolder } from './atomic-write.ts'

/**
 * Creates a folder and its missing parents, for the owner only. Throws `unavailable`, also if a file is in the way
 * (X-26).
 */
export function makeFolder(directory: string): void {
  if (isFolder(directory)) return
  if (path.dirname(directory) !== directory) makeFolder(path.dirname(directory))
  try {
    // Node's recursive mkdir never returns where the system reports ENOENT below an existing folder, as in /proc.
    fs.mkdirSync(directory, { mode: 0o700 })
    // Without this, a power cut can remove the folder with everything in it. A parent may be writable but not readable,
    // and then the error is ignored below.
    syncFolder(path.dirname(directory))
  } catch (error) {
    if (isFolder(directory)) return
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new CofferError('unavailable', `${directory} is not a folder. Choose another path.`, {
        cause: error,
      })
    }
    throw toStorageError(error, directory)
  }
}

function isFolder(directory: string): boolean {
  return fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true
}
