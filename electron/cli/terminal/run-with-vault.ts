import { spawn } from 'node:child_process'
import { CofferError } from '../../../shared/errors.ts'
import type { AsHosted } from '../../as-hosted/as-hosted.ts'
import { describeSystemError } from '../../engine/index.ts'
import type { StarterKeys } from '../../host/initial-data/starter-applications.ts'
import { toExitCode } from './interrupted.ts'
import { watchParent } from './parent-watch.ts'
import { printHint } from './vault-options.ts'

const NOT_STARTED = 127

/**
 * Runs a shell command, or a program with its arguments, with the vault in its environment. Returns its exit code, 128
 * plus the number of the signal that ended it, or 127 if it could not be started. Forwards signals, except Ctrl-C at a
 * terminal, which the terminal itself sends to the program. Without a terminal, the program has its own process group,
 * so that signals also reach the children of a shell. At a terminal, such a group could not read input.
 */
export function runWithVault(
  command: string | readonly string[],
  url: string,
  keys: StarterKeys | undefined,
  hosted: AsHosted | undefined,
): Promise<number> {
  // Windows has no process groups, and `detached` would open a console window there.
  const detached = process.platform !== 'win32' && !process.stdin.isTTY
  const options = { stdio: 'inherit', env: createEnvironment(url, keys, hosted), detached } as const
  const [program = '', ...args] = [command].flat()
  // On Windows, programs such as npm are scripts, which only a shell starts.
  const isLine = typeof command === 'string'
  const child =
    isLine || process.platform === 'win32'
      ? spawn(isLine ? command : [program, ...args].map(quoteWord).join(' '), { ...options, shell: true })
      : spawn(program, args, options)
  const sendSignal = (signal: NodeJS.Signals) => {
    if (!detached || child.pid === undefined) child.kill(signal)
    else sendSignalToGroup(child.pid, signal)
  }
  const forwardSignal = (signal: NodeJS.Signals) => {
    if (signal !== 'SIGINT' || !process.stdin.isTTY) sendSignal(signal)
  }
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, forwardSignal)
  watchParent(() => sendSignal('SIGTERM'))
  return new Promise<number>((resolve) => {
    child.on('error', (error) => {
      printHint(`coffer: ${program} cannot be started: ${describeSystemError(error)}.`)
      resolve(NOT_STARTED)
    })
    child.on('exit', (code, signal) => resolve(signal ? toExitCode(signal) : (code ?? 1)))
  }).finally(() => {
    for (const signal of signals) process.off(signal, forwardSignal)
  })
}

function sendSignalToGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal)
  } catch {
    // The group has ended, or belongs to another user, as under sudo. In both cases, the caller waits until the program
    // has exited.
  }
}

function quoteWord(word: string): string {
  if (word.includes('"'))
    throw new CofferError(
      'invalid',
      'On Windows, coffer run cannot pass an argument with a quotation mark. Use coffer serve --run instead.',
    )
  return /^[\w./:\\=-]+$/.test(word) ? word : `"${word}"`
}

/**
 * Returns the environment of the program. The secrets that open a vault have been removed from `process.env` by now.
 */
function createEnvironment(
  url: string,
  keys: StarterKeys | undefined,
  hosted: AsHosted | undefined,
): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ...hosted?.createEnvironment(process.env),
    COFFER_BASE_URL: url,
    VAULT_URL: url,
    ...(keys && {
      COFFER_API_KEY: keys.private,
      VAULT_KEY: keys.private,
      COFFER_PUBLIC_KEY: keys.public,
      COFFER_MANAGEMENT_KEY: keys.management,
    }),
  }
}
