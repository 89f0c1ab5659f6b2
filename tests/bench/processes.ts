import { type ChildProcess, execFileSync, fork, type Serializable, spawn } from 'node:child_process'
import path from 'node:path'

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

function trackChild(child: ChildProcess): ChildProcess {
  running.add(child)
  child.on('exit', () => running.delete(child))
  return child
}

/** Starts a module of this folder in a separate process. */
export function startModule(module: string, args: readonly string[] = []): ChildProcess {
  return trackChild(
    fork(path.join(import.meta.dirname, module), args, {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    }),
  )
}

/** Starts a program with this Node. */
export function startProgram(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  return trackChild(
    spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } }),
  )
}

const probed = ['--import', path.join(import.meta.dirname, 'busy-probe.ts')]

/** Starts a program that can report how busy it was. */
export function startProbed(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  return trackChild(
    spawn(process.execPath, [...probed, ...args], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: { ...process.env, ...env },
    }),
  )
}

/** Sends a message to a child and returns the child's next message. Rejects if the child ends instead. */
export function askChild<T>(child: ChildProcess, message?: Serializable): Promise<T> {
  return new Promise((resolve, reject) => {
    const handleExit = () => reject(new Error(`${child.spawnargs.slice(-2).join(' ')} ended.`))
    child.once('exit', handleExit)
    child.once('message', (answer) => {
      child.off('exit', handleExit)
      resolve(answer as T)
    })
    if (message !== undefined) child.send(message)
  })
}

/** Stops a child and waits until it has exited. */
export function stopChild(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

/** The resident memory of a process in bytes. */
export function readResidentBytes({ pid }: ChildProcess): number {
  return 1024 * Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString())
}
