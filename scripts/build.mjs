// Plain JavaScript for the machine's own Node (20 or newer).
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { newest } from '../electron/built-file.mjs'
import { ownNode, root } from './install.mjs'

/** Runs each build whose sources are newer than its output. */
export function build() {
  const built = path.join(root, 'out', '.built')
  const since = fs.statSync(built, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = [
    'electron',
    'renderer',
    'shared',
    'resources',
    'scripts',
    'package.json',
    'package-lock.json',
    'electron.vite.config.ts',
  ]
  if (sources.every((source) => newest(path.join(root, source)) <= since)) return
  process.stderr.write('Building …\n')
  run(['electron-vite', 'bin', 'electron-vite.js'], [])
  run(['vite', 'bin', 'vite.js'], ['--config', path.join('electron', 'cli', 'vite.config.ts')])
  run(['vite', 'bin', 'vite.js'], ['--config', path.join('electron', 'code-runner', 'vite.config.ts')])
  for (const mode of ['client', 'three-ds', 'frame']) {
    run(
      ['vite', 'bin', 'vite.js'],
      ['--config', path.join('renderer', 'elements', 'vite.config.ts'), '--mode', mode],
    )
  }
  fs.writeFileSync(built, '')
}

function run(builder, args) {
  const script = path.join(root, 'node_modules', ...builder)
  const done = spawnSync(ownNode(), [script, 'build', '--logLevel', 'error', ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // A build that succeeds prints advice on its speed on a slow machine, whatever the log level.
  if (done.status === 0) return
  process.stderr.write(done.stderr)
  process.stderr.write('The build failed; see above.\n')
  process.exit(1)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) build()
