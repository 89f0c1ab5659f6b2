import fs from 'node:fs'
import path from 'node:path'

export const root = path.join(import.meta.dirname, '..')

/** Reads a file of the repository as text. */
export function readFile(...parts: string[]): string {
  return fs.readFileSync(path.join(root, ...parts), 'utf8')
}
