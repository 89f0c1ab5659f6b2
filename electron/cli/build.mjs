// Plain JavaScript for the machine's own Node (20 or newer).
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ownNode, root } from './install.mjs'

/** Builds where sources are newer than what was built from them. */
export function build() {
  const built = path.join(root, 'out', '.built')
  const since = fs.statSync(built, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = [
    'electron',
    'renderer',
    'shared',
    'resources',
    'package.json',
    'package-lock.json',
    'electron.vite.config.ts',
  ]
  if (sources.every((source) => newest(path.join(root, source)) <= since)) return
  process.stderr.write('Building …\n')
  run(['electron-vite', 'bin', 'electron-vite.js'], [])
  run(['vite', 'bin', 'vite.js'], ['--config', path.join('electron', 'cli', 'vite.config.ts')])
  fs.writeFileSync(built, '')
}

function run(builder, args) {
  const script = path.join(root, 'node_modules', ...builder)
  const done = spawnSync(ownNode(), [script, 'build', '--logLevel', 'error', ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 2],
  })
  if (done.status === 0) return
  process.stderr.write('The build failed; see above.\n')
  process.exit(1)
}

/** The address of a file of the built command line, or null where a source is newer. Throws under a Node that is too old. */
export function builtFile(name) {
  // The database would end such a process without a word.
  if (Number.parseInt(process.versions.node, 10) < 22) {
    throw new Error(
      `Coffer runs under Node 22 or newer, and this is ${process.versions.node}. It brings one: npm scripts and npx find it, or call node_modules/.bin/node.`,
    )
  }
  const built = path.join(root, 'out', 'cli', name)
  // A package brings what was built and no sources.
  if (!fs.existsSync(path.join(root, 'shared'))) return pathToFileURL(built).href
  const since = newest(built)
  const sources = ['electron', 'shared', 'package.json', 'package-lock.json']
  const isFresh = sources.every((each) => newest(path.join(root, each)) <= since)
  return isFresh ? pathToFileURL(built).href : null
}

/** When a file, or the newest file in a folder, was changed. */
function newest(file) {
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  if (!stat) return 0
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...fs.readdirSync(file).map((name) => newest(path.join(file, name))))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) build()
