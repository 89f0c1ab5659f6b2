// Plain JavaScript, so that a Node that is too old can still run it and say so.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..')

/** Why this Node cannot run Coffer, as a sentence, or null if it can. */
export function tooOld() {
  // The database would end the process of a Node before 22 without a word. The bundles get the modules of Node by
  // a function that the first of 22 did not have.
  const isRecent = Number.parseInt(process.versions.node, 10) >= 22
  if (isRecent && typeof process.getBuiltinModule === 'function') return null
  return `Coffer runs under Node 22.12 or newer, and this is ${process.versions.node}. Install a newer Node; in a clone of Coffer, npm run coffer brings its own.`
}

/** The address of a file of the built command line, or null where a source is newer. Throws under a Node that is too old. */
export function builtFile(name) {
  const problem = tooOld()
  if (problem !== null) throw new Error(problem)
  const built = path.join(root, 'out', 'cli', name)
  // A package brings what was built and no sources.
  if (!fs.existsSync(path.join(root, 'shared'))) return pathToFileURL(built).href
  const since = newest(built)
  const sources = ['electron', 'shared', 'package.json', 'package-lock.json']
  const isFresh = sources.every((each) => newest(path.join(root, each)) <= since)
  return isFresh ? pathToFileURL(built).href : null
}

/** When a file, or the newest file in a folder, was changed. */
export function newest(file) {
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  if (!stat) return 0
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...fs.readdirSync(file).map((name) => newest(path.join(file, name))))
}
