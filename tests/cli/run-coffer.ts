import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import readline from 'node:readline'
import { onTestFinished } from 'vitest'

const root = path.join(import.meta.dirname, '..', '..')
const node = process.execPath
const cli = path.join(root, 'electron', 'cli', 'run.mjs')
/** The path of the command line that `npm run build` writes. */
export const builtCli = path.join(root, 'out', 'cli', 'coffer.js')

/** Returns an environment without the keychain and passphrases of this machine. */
function environment(more: Record<string, string>): NodeJS.ProcessEnv {
  const { PATH, HOME, NODE_OPTIONS } = process.env
  return { PATH, HOME, NODE_OPTIONS, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent', ...more }
}

/** Makes a child fail with a TypeError when it reads an id that contains "break". */
export function breakReads(): { NODE_OPTIONS: string } {
  const file = path.join(root, 'tests', 'broken-reads.cjs')
  return { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --require=${JSON.stringify(file)}` }
}

/** Starts `coffer …` without a terminal; killed when the test ends. */
export function startCoffer(
  args: readonly string[],
  env: Record<string, string> = {},
  program: string = cli,
  cwd: string = root,
) {
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', program, ...args], {
    env: environment(env),
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return watch(child)
}

/** Starts `coffer …` in its own terminal. */
export function startInTerminal(args: readonly string[], env: Record<string, string> = {}) {
  const line = [node, '--disable-warning=ExperimentalWarning', cli, ...args]
    .map((each) => `'${each}'`)
    .join(' ')
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    env: environment(env),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let printed = ''
  /** Waits for the nth occurrence of a prompt, which is printed without a line break. */
  const asked = (question: string, nth = 1) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (printed.split(question).length > nth) resolve()
      }
      child.stdout?.on('data', look)
      look()
    })
  child.stdout?.on('data', (chunk) => {
    printed += chunk
  })
  return { ...watch(child), asked, printed: () => printed, press: (keys: string) => child.stdin?.write(keys) }
}

function watch(child: ChildProcess) {
  const lines: string[] = []
  const waiting = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue
    readline.createInterface({ input: stream }).on('line', (line) => {
      lines.push(line)
      for (const each of waiting) each()
    })
  }
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  /** Returns the nth printed line that matches. Rejects with the output if the program exits first. */
  const line = (pattern: RegExp, nth = 1) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = lines.filter((each) => pattern.test(each))[nth - 1]
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
      void ended.then(() => reject(new Error(lines.join('\n'))))
    })
  return {
    pid: child.pid as number,
    lines,
    ended,
    line,
    json: async () => JSON.parse(await line(/^\{/)),
    stop: () => child.kill('SIGTERM'),
    signal: (name: NodeJS.Signals) => child.kill(name),
  }
}
