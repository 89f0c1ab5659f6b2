import fs from 'node:fs'
import path from 'node:path'
import { utilityProcess } from 'electron'
import { type Fork, forkIsolated } from '../code-runner/fork.ts'

/**
 * Returns how the desktop program starts processes for reactors: with Node if it is installed on this machine,
 * otherwise with Electron's utility processes. Those ignore the switches of Node's permission model, so the pool
 * refuses to run code in them (rule F-02).
 */
export async function forkReactor(): Promise<Fork> {
  const node = findMachineNode()
  return node === null ? forkUtility : forkIsolated(node)
}

/** The path of the first Node in `PATH` or in the usual folders; null if there is none. */
function findMachineNode(): string | null {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  // The macOS desktop starts programs with a short PATH, so look in the usual folders too.
  const usual = process.platform === 'win32' ? [] : ['/usr/local/bin', '/opt/homebrew/bin', '/usr/bin']
  const folders = [...(process.env.PATH ?? '').split(path.delimiter).filter(path.isAbsolute), ...usual]
  return folders.map((folder) => path.join(folder, name)).find((file) => fs.existsSync(file)) ?? null
}

/** Starts a utility process of Electron. */
export const forkUtility: Fork = ({ file, execArgv, args }) => {
  const child = utilityProcess.fork(file, [...args], {
    execArgv: [...execArgv],
    env: {},
    cwd: path.dirname(file),
    stdio: ['ignore', 'pipe', 'ignore'],
    serviceName: 'Coffer reactor',
  })
  const { stdout } = child
  if (stdout === null) throw new Error('The process of a reactor has no output.')
  let isNeeded = true
  child.once('spawn', () => {
    if (!isNeeded) killProcess(child.pid)
  })
  return {
    stdout,
    send: (message) => child.postMessage(message),
    kill() {
      isNeeded = false
      killProcess(child.pid)
    },
    onExit: (ended) =>
      void child.once('exit', (code) => ended(code === 134 || code === 6 ? 'SIGABRT' : null)),
  }
}

/** Electron's own `kill` sends SIGTERM, which code can ignore. */
function killProcess(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
  } catch {
    // It has already exited.
  }
}
