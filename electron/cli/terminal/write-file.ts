import fs from 'node:fs'
import { toStorageError } from '../../engine/index.ts'

/** Writes an output file with the permissions `mode`. Throws `unavailable` or `storage_full`, which name the file. */
export function writeFile(file: string, text: string, mode = 0o666): void {
  try {
    fs.writeFileSync(file, text, { mode })
  } catch (error) {
    throw toStorageError(error, file)
  }
}
