import { spawn } from 'node:child_process'
import { CofferError } from '../../../shared/errors.ts'
import { describeSystemError } from '../../engine/db/describe-system-error.ts'
import type { StarterKeys } from '../../host/initial-data/starter-applications.ts'
import { toExitCode } from './interrupted.ts'
import { watchParent } from './parent-watch.ts'
import { printHint } from './vault-options.ts'

const NOT_STARTED = 127

/**
 * Runs a line in a shell, or a program with its arguments, with the vault in its environment. Returns its exit code,
 * that of the signal that ended it, or 127 if it could not be started. Signals are passed on; a terminal sends Ctrl-C
 * to the program anyway. Away from a terminal, the program has a process group of its own, so that signals also reach
 * what a shell started; at one, such a group could not read what is typed.
 */
export function runWithVault(
  command: string | readonly string[],
  url: string,
  keys: StarterKeys | undefined,
): Promise<number> {
  // On Windows there are no such groups, and this would open a console.
  const detached = process.platform !== 'win32' && !process.stdin.isTTY
  const options = { stdio: 'inherit', env: createEnvironment(url, keys), detached } as const
  const [program = '', ...args] = [command].flat()
  // On Windows, programs such as npm are scripts, which only a shell starts.
  const isLine = typeof command === 'string'
  const child =
    isLine || process.platform === 'win32'
      ? spawn(isLine ? command : [program, ...args].map(quoteWord).join(' '), { ...options, shell: true })
      : spawn(program, args, options)
  const sendSignal = (signal: NodeJS.Signals) => {
    if (!detached || child.pid === undefined) child.kill(signal)
    else signalGroup(child.pid, signal)
  }
  const passOn = (signal: NodeJS.Signals) => {
    if (signal !== 'SIGINT' || !process.stdin.isTTY) sendSignal(signal)
  }
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, passOn)
  watchParent(() => sendSignal('SIGTERM'))
  return new Promise<number>((resolve) => {
    child.on('error', (error) => {
      printHint(`coffer: ${program} cannot be started: ${describeSystemError(error)}.`)
      resolve(NOT_STARTED)
    })
    child.on('exit', (code, signal) => resolve(signal ? toExitCode(signal) : (code ?? 1)))
  }).finally(() => {
    for (const signal of signals) process.off(signal, passOn)
  })
}

function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal)
  } catch {
    // It has ended, or belongs to another user, as under sudo. Its end is waited for either way.
  }
}

function quoteWord(word: string): string {
  if (word.includes('"'))
    throw new CofferError('invalid', 'A word with a quotation mark needs coffer serve --run.')
  return /^[\w./:\\=-]+$/.test(word) ? word : `"${word}"`
}

/** The secrets that open a vault are no longer in the environment by now. */
function createEnvironment(url: string, keys: StarterKeys | undefined): NodeJS.ProcessEnv {
  return {
    ...process.env,
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
