import fs from 'node:fs'

/** Returns the size of a file in bytes; 0 if there is none. */
export function readFileSize(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
