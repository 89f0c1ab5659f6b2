import path from 'node:path'
import { createNoIsolation, findIsolation, type Isolation } from './isolation/find-isolation.ts'
import { startProcess } from './isolation/start-process.ts'
import { MAX_HEAP_MIB } from './limits.ts'
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

type ProcessStart = {
  readonly file: string
  readonly execArgv: readonly string[]
  readonly args: readonly string[]
  /** Files and folders that the process may read. */
  readonly readable: readonly string[]
}

/** Starts a process. `isolation` says how the system keeps it apart, if that is known. */
export type Fork = ((start: ProcessStart) => ForkedProcess) & { readonly isolation?: Isolation }

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
export function createStartOptions(packagesDir: string | null, preloaded: readonly Preload[]): ProcessStart {
  const allowed = [...readable, ...(packagesDir === null ? [] : [packagesDir])]
  // SECURITY: it can read only these files, and has no child processes, addons, workers or debugger.
  const execArgv = [
    '--permission',
    ...allowed.map((each) => `--allow-fs-read=${each}`),
    '--no-addons',
    '--disable-sigusr1',
    `--max-old-space-size=${MAX_HEAP_MIB}`,
    ...(isSource ? ['--disable-warning=ExperimentalWarning'] : []),
  ]
  return { file: runner, execArgv, args: [packagesDir ?? '', preloaded.join()], readable: allowed }
}

/** Signals of a process that ran out of memory, which wrappers report as exit codes. */
const signals: Readonly<Record<number, string>> = { 132: 'SIGILL', 133: 'SIGTRAP', 134: 'SIGABRT' }

/** Returns a function that starts processes in the strongest isolation that works for this Node. Never rejects. */
export async function forkIsolated(node?: string): Promise<Fork> {
  return forkNode(await findIsolation(node))
}

/** Returns a function that starts processes; without isolation by the system and with the current Node by default. */
export function forkNode(isolation: Isolation = createNoIsolation(process.execPath)): Fork {
  const { program, wrap } = isolation
  const startForked = ({ file, execArgv, args, readable }: ProcessStart): ForkedProcess => {
    const { child, stdin, stdout, kill } = startProcess(
      wrap(program, [...program.networkOptions, ...execArgv, file, ...args], readable),
      path.dirname(file),
    )
    return {
      stdout,
      send: (message) => void stdin.write(`${message}\n`),
      kill,
      onExit: (ended) =>
        void child.once('close', (code, signal) => ended(signal ?? signals[code ?? 0] ?? null)),
    }
  }
  return Object.assign(startForked, { isolation })
}
