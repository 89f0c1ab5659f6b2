import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import readline from 'node:readline'
import { onTestFinished } from 'vitest'

const root = path.join(import.meta.dirname, '..', '..')
const node = process.execPath
export const cli = path.join(root, 'electron', 'cli', 'run.mjs')
/** The path of the CLI that `npm run build` writes. */
export const builtCli = path.join(root, 'out', 'cli', 'coffer.js')

/** Returns an environment without the keychain and passphrases of this machine. */
function buildEnvironment(more: Record<string, string>): NodeJS.ProcessEnv {
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
    env: buildEnvironment(env),
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return watchChild(child)
}

/** Returns the arguments of `coffer serve --json` on any free port. */
export function getServeArgs(dataDir: string, ...more: string[]): string[] {
  return ['serve', '--port', '0', '--json', '--data-dir', dataDir, ...more]
}

/** Starts `coffer serve --json` on any free port; killed when the test ends. */
export function startServe(dataDir: string, env: Record<string, string> = {}, ...more: string[]) {
  return startCoffer(getServeArgs(dataDir, ...more), env)
}

/** Starts `coffer …` in its own terminal. */
export function startInTerminal(args: readonly string[], env: Record<string, string> = {}) {
  const line = [node, '--disable-warning=ExperimentalWarning', cli, ...args]
    .map((each) => `'${each}'`)
    .join(' ')
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    env: buildEnvironment(env),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let printed = ''
  /** Waits for the nth occurrence of a prompt, which is printed without a line break. */
  const waitForPrompt = (question: string, nth = 1) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (printed.split(question).length > nth) resolve()
      }
      child.stdout?.on('data', check)
      check()
    })
  child.stdout?.on('data', (chunk) => {
    printed += chunk
  })
  return {
    ...watchChild(child),
    waitForPrompt,
    getOutput: () => printed,
    press: (keys: string) => child.stdin?.write(keys),
  }
}

function watchChild(child: ChildProcess) {
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
  const waitForLine = (pattern: RegExp, nth = 1) =>
    new Promise<string>((resolve, reject) => {
      const check = () => {
        const found = lines.filter((each) => pattern.test(each))[nth - 1]
        if (found === undefined) return
        waiting.delete(check)
        resolve(found)
      }
      waiting.add(check)
      check()
      void ended.then(() => reject(new Error(lines.join('\n'))))
    })
  return {
    pid: child.pid as number,
    lines,
    ended,
    waitForLine,
    json: async () => JSON.parse(await waitForLine(/^\{/)),
    stop: () => child.kill('SIGTERM'),
    signal: (name: NodeJS.Signals) => child.kill(name),
  }
}
