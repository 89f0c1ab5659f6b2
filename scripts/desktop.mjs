// Opens the desktop window for `npm start` and `npm run dev`.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fetchElectron } from './fetch-electron.mjs'
import { root } from './install.mjs'

/**
 * Returns a sentence that says why the desktop window cannot open, or null if it can. Fetches Electron if necessary.
 */
export async function whyNoWindow() {
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) {
    return 'There is no display for the desktop window.'
  }
  const problem = electronBinary() === null ? await fetchElectron() : null
  return electronBinary() === null ? (problem ?? 'Electron was fetched, but its program is missing.') : null
}

export function electronBinary() {
  const folder = path.join(root, 'node_modules', 'electron')
  try {
    const program = fs.readFileSync(path.join(folder, 'path.txt'), 'utf8').trim()
    const binary = path.join(folder, 'dist', program)
    return fs.existsSync(binary) ? binary : null
  } catch {
    return null
  }
}

/** Starts a program in the checkout, forwards signals to it, and exits with its exit code. */
export function run(program, args, stdio = 'inherit') {
  const child = spawn(program, args, { cwd: root, stdio })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // npm sends SIGTERM to the shell between npm and this script. The shell dies without forwarding the signal.
  const parent = process.ppid
  setInterval(() => process.ppid === parent || child.kill('SIGTERM'), 200).unref()
  child.on('exit', (code, signal) => process.exit(signal ? 128 + os.constants.signals[signal] : (code ?? 0)))
  return child
}
