import fs from 'node:fs'
import path from 'node:path'
import { toStorageError } from '../../engine/db/storage-error.ts'

/**
 * Replaces a file atomically, readable by its owner only unless `mode` says otherwise: after a crash at any step it
 * holds the old content or the new. One that need not outlive a power cut is not synced. One writer at a time. Throws
 * `unavailable`, `storage_full`.
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
      // The next write removes it; the error being thrown matters more.
    }
    throw toStorageError(error, file)
  }
}

/** Makes the entries of a folder durable. Windows has no way to do that, and no need. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = fs.openSync(folder, 'r')
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}
