import fs from 'node:fs'
import path from 'node:path'
import { toStorageError } from '../../engine/index.ts'

/**
 * Replaces a file atomically: after a crash at any step, the file holds the old or the new content. Only the file's
 * owner can read it, unless `mode` is set. With `durable: false`, the file is not synced, so it may not survive a power
 * cut. The caller ensures that only one writer at a time uses a file. Throws `unavailable`, `storage_full`.
 */
export function writeAtomically(
  file: string,
  content: string,
  { mode = 0o600, durable = true }: { mode?: number; durable?: boolean } = {},
): void {
  const temporary = `${file}.tmp`
  try {
    fs.rmSync(temporary, { force: true })
    fs.writeFileSync(temporary, content, { flag: 'wx', mode, flush: durable })
    fs.renameSync(temporary, file)
    if (durable) syncFolder(path.dirname(file))
  } catch (error) {
    try {
      fs.rmSync(temporary, { force: true })
    } catch {
      // The next write removes the temporary file, and the original error matters more.
    }
    throw toStorageError(error, file)
  }
}

/** Makes the entries of a folder durable. Does nothing on Windows, which has no such call and does not need it. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = fs.openSync(folder, 'r')
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}
