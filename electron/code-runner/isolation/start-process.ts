import { type ChildProcess, spawn } from 'node:child_process'
import { type Readable, Writable } from 'node:stream'
import { MAX_CPU_SECONDS, MAX_DATA_KIB, MAX_DESCRIPTORS } from '../limits.ts'
import type { WrappedCommand } from './wrappers.ts'

/** Limits that the operating system enforces, even after Coffer itself has exited. */
const limits = `ulimit -c 0; ulimit -t ${MAX_CPU_SECONDS}; ulimit -n ${MAX_DESCRIPTORS}; ulimit -d ${MAX_DATA_KIB} 2>/dev/null; exec "$0" "$@"`

type StartedProcess = {
  readonly child: ChildProcess
  readonly stdin: Writable
  readonly stdout: Readable
  /** Ends it with SIGKILL, and what a wrapper has started for it. */
  kill(): void
}

/** Starts a command with the limits of the system, in a folder. Its `close` event tells that it has ended. */
export function startProcess({ command, inputs }: WrappedCommand, cwd: string): StartedProcess {
  const isWindows = process.platform === 'win32'
  const [program = '', ...args] = isWindows ? command : ['/bin/sh', '-c', limits, ...command]
  const child = spawn(program, args, {
    // SECURITY: the environment is empty, except for what Windows needs, and stderr is not connected.
    env: isWindows ? { SystemRoot: process.env.SystemRoot } : {},
    stdio: ['pipe', 'pipe', 'ignore', ...inputs.map(() => 'pipe' as const)],
    cwd,
    // The process gets its own process group, so that a signal to it reaches no other process, and no terminal.
    detached: !isWindows,
    windowsHide: true,
  })
  const { stdin, stdout, stdio } = child
  if (stdin === null || stdout === null) throw new Error('A process has no input or output.')
  // It may fail to start, or exit while it is written to.
  for (const emitter of [child, stdin]) emitter.on('error', () => {})
  for (const [at, input] of inputs.entries()) {
    const stream = stdio[3 + at]
    if (stream instanceof Writable) stream.on('error', () => {}).end(input)
  }
  return { child, stdin, stdout, kill: () => killGroup(child) }
}

/** SECURITY: a wrapper that alone is killed while it starts leaves a process, which does not yet end with it. */
function killGroup(child: ChildProcess): void {
  const hasExited = child.exitCode !== null || child.signalCode !== null
  try {
    if (child.pid !== undefined && !hasExited && process.platform !== 'win32')
      process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has just exited.
  }
  child.kill('SIGKILL')
}
