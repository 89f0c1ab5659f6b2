import fs from 'node:fs'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..')

/** Returns whether the program was built after the last change in these folders, as `scripts/build.mjs` decides it. */
export function isBuiltSince(...folders: readonly string[]): boolean {
  const since = fs.statSync(path.join(root, 'out', '.built'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const files = fs.globSync(
    folders.map((each) => `${each}/**`),
    { cwd: root },
  )
  return files.every((file) => fs.statSync(path.join(root, file)).mtimeMs <= since)
}
