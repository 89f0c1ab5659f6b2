import fs from 'node:fs'
import { storageError } from '../../engine/db/storage-error.ts'

/** Writes a file that a command was asked for; `mode` is who may read it. Throws `unavailable`, `storage_full`, naming it. */
export function writeFile(file: string, text: string, mode = 0o666): void {
  try {
    fs.writeFileSync(file, text, { mode })
  } catch (error) {
    throw storageError(error, file)
  }
}
