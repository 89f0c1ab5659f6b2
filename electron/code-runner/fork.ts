import { spawn } from 'node:child_process'
import path from 'node:path'
import { MAX_CPU_SECONDS, MAX_DATA_KIB, MAX_DESCRIPTORS, MAX_HEAP_MIB } from './limits.ts'
import type { Preload } from './runner/messages.ts'

/** A process that runs reactors. Its output is a stream, so that we can limit how much we read. */
export type ForkedProcess = {
  readonly stdout: NodeJS.ReadableStream
  /** Sends one message. A message to a process that has exited is lost. */
  send(message: string): void
  kill(): void
  /** Called once, when the process has exited or could not be started; `signal` is the one that ended it, or null. */
  onExit(ended: (signal: string | null) => void): void
}

export type Fork = (start: {
  readonly file: string
  readonly execArgv: readonly string[]
  readonly args: readonly string[]
}) => ForkedProcess

const isSource = import.meta.filename.endsWith('.ts')

/** Files that a process may read: the runner with its bundled clients, and the packages folder. */
const runner = isSource
  ? path.join(import.meta.dirname, 'runner', 'main.ts')
  : // Only Electron can read files inside an .asar archive, so the process gets the unpacked copy.
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

/** Builds the command line of a runner process, with only the permissions it needs (rule F-02). */
export function createStartOptions(
  packagesDir: string | null,
  preloaded: readonly Preload[],
): Parameters<Fork>[0] {
  // SECURITY: it can read only these files, and has no child processes, addons, workers or debugger.
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

/** Limits that the operating system enforces, even after Coffer itself has exited. */
const limits = `ulimit -c 0; ulimit -t ${MAX_CPU_SECONDS}; ulimit -n ${MAX_DESCRIPTORS}; ulimit -d ${MAX_DATA_KIB} 2>/dev/null; exec "$0" "$@"`

/** Returns a function that starts processes with the Node at this path; by default, the current one. */
export function forkNode(node = process.execPath): Fork {
  return ({ file, execArgv, args }) => {
    const nodeArgs = [...execArgv, file, ...args]
    const isWindows = process.platform === 'win32'
    const child = spawn(
      isWindows ? node : '/bin/sh',
      isWindows ? nodeArgs : ['-c', limits, node, ...nodeArgs],
      {
        // SECURITY: the environment is empty, except for what Windows needs, and only stdin and stdout are connected.
        env: isWindows ? { SystemRoot: process.env.SystemRoot } : {},
        stdio: ['pipe', 'pipe', 'ignore'],
        cwd: path.dirname(file),
        // The process gets its own process group, so that a signal to it reaches no other process.
        detached: !isWindows,
        windowsHide: true,
      },
    )
    // Writing to a process that has exited fails; `exit` reports that it has.
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
