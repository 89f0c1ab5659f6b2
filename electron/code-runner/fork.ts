import { spawn } from 'node:child_process'
import path from 'node:path'
import { MAX_CPU_SECONDS, MAX_DATA_KIB, MAX_DESCRIPTORS, MAX_HEAP_MIB } from './limits.ts'
import type { Preload } from './runner/messages.ts'

/** A process that runs reactors: written to by messages, read from its output, so that reading can be bounded. */
export type ForkedProcess = {
  readonly stdout: NodeJS.ReadableStream
  /** Sends one message; what a process that has ended does not get is lost. */
  send(message: string): void
  kill(): void
  /** Called once when the process has ended, or could not be started; `signal` where one ended it. */
  onExit(ended: (signal: string | null) => void): void
}

export type Fork = (start: {
  readonly file: string
  readonly execArgv: readonly string[]
  readonly args: readonly string[]
}) => ForkedProcess

const isSource = import.meta.filename.endsWith('.ts')

/** What a process may read: the runner with the clients beside it, and the packages folder. */
const runner = isSource
  ? path.join(import.meta.dirname, 'runner', 'main.ts')
  : // What an archive of Electron holds, only Electron could read.
    path.join(import.meta.dirname, '..', 'reactors', 'main.cjs').replace(/\.asar(?=[\\/])/, '.asar.unpacked')
const readable = isSource
  ? [
      import.meta.dirname,
      ...['package.json', 'node_modules'].map((name) => path.join(getProjectRoot(), name)),
    ]
  : [path.dirname(runner)]

function getProjectRoot(): string {
  return path.join(import.meta.dirname, '..', '..')
}

/** How the runner is started, confined to what it needs (rule F-02). */
export function createStartOptions(
  packagesDir: string | null,
  preloaded: readonly Preload[],
): Parameters<Fork>[0] {
  // SECURITY: no file but these, no child processes, no addons, no workers, no debugger.
  const execArgv = [
    '--permission',
    ...[...readable, ...(packagesDir === null ? [] : [packagesDir])].map((each) => `--allow-fs-read=${each}`),
    '--no-addons',
    '--disable-sigusr1',
    `--max-old-space-size=${MAX_HEAP_MIB}`,
    ...(isSource ? ['--disable-warning=ExperimentalWarning'] : []),
  ]
  return { file: runner, execArgv, args: [packagesDir ?? '', preloaded.join()] }
}

/** Limits that the system itself keeps, also where the process that set them is gone. */
const limits = `ulimit -c 0; ulimit -t ${MAX_CPU_SECONDS}; ulimit -n ${MAX_DESCRIPTORS}; ulimit -d ${MAX_DATA_KIB} 2>/dev/null; exec "$0" "$@"`

/** Starts processes with a Node: the one of this process unless given. */
export function forkNode(node = process.execPath): Fork {
  return ({ file, execArgv, args }) => {
    const nodeArgs = [...execArgv, file, ...args]
    const isWindows = process.platform === 'win32'
    const child = spawn(
      isWindows ? node : '/bin/sh',
      isWindows ? nodeArgs : ['-c', limits, node, ...nodeArgs],
      {
        // SECURITY: nothing of the environment but what Windows itself needs, and no descriptor but these two.
        env: isWindows ? { SystemRoot: process.env.SystemRoot } : {},
        stdio: ['pipe', 'pipe', 'ignore'],
        cwd: path.dirname(file),
        // A group of its own: a signal to its group reaches nobody else.
        detached: !isWindows,
        windowsHide: true,
      },
    )
    // A process that has ended reads nothing more; `exit` says so.
    child.stdin.on('error', () => {})
    return {
      stdout: child.stdout,
      send: (message) => void child.stdin.write(`${message}\n`),
      kill: () => void child.kill('SIGKILL'),
      onExit(ended) {
        child.once('exit', (_code, signal) => ended(signal))
        child.once('error', () => ended(null))
      },
    }
  }
}
