// Plain JavaScript, so that even a Node too old for Coffer can run this file and print an error.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..')

/** Returns a sentence that says why this version of Node cannot run Coffer, or null if it can. */
export function tooOld() {
  // The database driver uses version 10 of Node-API. With an older one, it ends the process without a message.
  if (Number(process.versions.napi) >= 10) return null
  return `Coffer needs Node 22.14, 23.7 or newer, but this is Node ${process.versions.node}. Install a newer Node; in a clone of Coffer, npm run coffer uses a suitable one.`
}

/** Returns the URL of a file of the built CLI, or null if a source file is newer. Throws if this Node is too old. */
export function builtFile(name) {
  const problem = tooOld()
  if (problem !== null) throw new Error(problem)
  const built = path.join(root, 'out', 'cli', name)
  // A package contains the built files and no sources.
  if (!fs.existsSync(path.join(root, 'shared'))) return pathToFileURL(built).href
  const since = newest(built)
  const sources = ['electron', 'shared', 'package.json', 'package-lock.json']
  const isFresh = sources.every((each) => newest(path.join(root, each)) <= since)
  return isFresh ? pathToFileURL(built).href : null
}

/** Returns the modification time of a file, or of the newest file in a folder, in epoch ms; 0 if it does not exist. */
export function newest(file) {
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  if (!stat) return 0
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...fs.readdirSync(file).map((name) => newest(path.join(file, name))))
}
