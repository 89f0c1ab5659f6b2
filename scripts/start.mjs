// `npm start`: installs what is missing, builds, opens the window; without Electron or a display, serves instead.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { build } from './build.mjs'
import { fetchElectron } from './fetch-electron.mjs'
import { install, ownNode, root } from './install.mjs'

install()
build()
const reason = await whyNoWindow()
if (reason === null) run(electronBinary(), ['.', ...process.argv.slice(2)])
else {
  process.stderr.write(`${reason} Serving on localhost instead.\n`)
  const cli = path.join(root, 'electron', 'cli', 'run.mjs')
  // As that file sets it.
  process.env.MALLOC_ARENA_MAX = '1'
  run(ownNode(), [
    '--disable-warning=ExperimentalWarning',
    // Node would keep more than 100 MB for what is soon forgotten, and collect often on its way there.
    '--min-semi-space-size=8',
    '--max-semi-space-size=8',
    cli,
    'serve',
    '--console',
    ...process.argv.slice(2),
  ])
}

/** One sentence that says why the desktop window cannot open, or null when it can. */
async function whyNoWindow() {
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) {
    return 'There is no display for the desktop window.'
  }
  const problem = electronBinary() === null ? await fetchElectron() : null
  return electronBinary() === null ? (problem ?? 'Electron was fetched, but its program is not there.') : null
}

function electronBinary() {
  const folder = path.join(root, 'node_modules', 'electron')
  try {
    const program = fs.readFileSync(path.join(folder, 'path.txt'), 'utf8').trim()
    const binary = path.join(folder, 'dist', program)
    return fs.existsSync(binary) ? binary : null
  } catch {
    return null
  }
}

/** Hands the terminal and its signals over, and ends as the program ends. */
function run(program, args) {
  const child = spawn(program, args, { cwd: root, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // npm hands SIGTERM to the shell between, which dies and tells nobody.
  const parent = process.ppid
  setInterval(() => process.ppid === parent || child.kill('SIGTERM'), 200).unref()
  child.on('exit', (code, signal) => process.exit(signal ? 128 + os.constants.signals[signal] : (code ?? 0)))
}
