import os from 'node:os'
import path from 'node:path'
import v8 from 'node:v8'
import { onTestFinished, vi } from 'vitest'
import { runProgram } from '../../electron/cli/run-program.ts'
import type { Credential } from '../../electron/host/keys/credential.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'

type CommandResult = {
  readonly out: string
  /** The error message, if the command failed. */
  readonly error?: string
  /** Everything on stderr. */
  readonly notes: string
  readonly code: number
}

/** Runs a command that ends by itself, in this process. */
export async function runCommandLine(...args: string[]): Promise<CommandResult> {
  const printed = { out: '', notes: '' }
  const captureStream = (stream: 'stdout' | 'stderr', name: keyof typeof printed) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text, ...more: unknown[]) => {
      printed[name] += String(text)
      for (const each of more) if (typeof each === 'function') each()
      return true
    })
  const before = process.exitCode
  const uncaught = process.listeners('uncaughtException')
  // A command removes its secrets from the environment; restore them for the next one in this process.
  const env = { ...process.env }
  const spies = [captureStream('stdout', 'out'), captureStream('stderr', 'notes')]
  try {
    process.exitCode = undefined
    const code = await runProgram('1.2.3', args)
    const error = /^coffer: (.*)$/ms.exec(printed.notes)?.[1]?.trimEnd()
    return { ...printed, code, ...(error !== undefined && { error }) }
  } finally {
    process.exitCode = before
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
    Object.assign(process.env, env)
    for (const each of process.listeners('uncaughtException')) {
      if (!uncaught.includes(each)) process.off('uncaughtException', each)
    }
    for (const spy of spies) spy.mockRestore()
  }
}

/**
 * Runs a command in this process, without a keychain and with these variables. `startCoffer` runs one in a child
 * process.
 */
export async function runWithEnv(env: Record<string, string>, ...args: string[]): Promise<CommandResult> {
  // Variables of the developer must not affect the test.
  const unset = Object.keys(process.env).filter((name) => name.startsWith('COFFER_') && !(name in env))
  const variables = {
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
    npm_package_name: '',
    // Keeps the test out of the developer's own data folder.
    XDG_DATA_HOME: path.join(os.tmpdir(), 'data'),
    ...env,
  }
  const before = [...unset, ...Object.keys(variables)].map((name) => [name, process.env[name]] as const)
  for (const name of unset) delete process.env[name]
  Object.assign(process.env, variables)
  try {
    return await runCommandLine(...args)
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

/** Runs a command like `runWithEnv`, but returns everything that it printed as one string. */
export async function runForText(env: Record<string, string>, ...args: string[]) {
  const { code, out, notes } = await runWithEnv(env, ...args)
  return { code, text: out + notes }
}

/** Returns whether a credential opens a vault. */
export async function canOpen(dataDir: string, credential: Credential): Promise<boolean> {
  const vault = await openVault({ dataDir, name: 'default', with: credential }).catch(() => null)
  vault?.lock()
  return vault !== null
}

/**
 * Runs `coffer serve` in this process, on any free port, until the test ends or `stop` sends signals (SIGTERM by
 * default) and returns the exit code. To capture later output, or to run a command that connects to the server, use
 * `startCoffer`.
 */
export async function serveInProcess(args: readonly string[], env: Record<string, string> = {}) {
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
  const before = signals.flatMap((name) => process.listeners(name))
  // The flag would change the heap of the test process.
  const flags = vi.spyOn(v8, 'setFlagsFromString').mockReturnValue()
  const ran = await runWithEnv(env, 'serve', '--port', '0', ...args).finally(() => flags.mockRestore())
  const listeners = new Map<NodeJS.Signals, NodeJS.SignalsListener>()
  for (const name of signals) {
    for (const each of process.listeners(name)) {
      if (before.includes(each)) continue
      listeners.set(name, each)
      process.off(name, each)
    }
  }
  if (listeners.size === 0) throw new Error(ran.notes)
  let ended: Promise<number> | undefined
  const codeBefore = process.exitCode
  const stop = (by: readonly NodeJS.Signals[] = ['SIGTERM']) => {
    ended ??= new Promise<number>((resolve) => {
      const exit = vi.spyOn(process, 'exit').mockImplementation((code) => {
        exit.mockRestore()
        process.exitCode = codeBefore
        resolve(Number(code))
        return undefined as never
      })
      for (const name of by) {
        const listener = listeners.get(name)
        if (listener === undefined) throw new Error(`It does not listen for ${name}.`)
        listener(name)
      }
    })
    return ended
  }
  onTestFinished(async () => void (await stop()))
  return { ...ran, facts: args.includes('--json') ? JSON.parse(ran.out) : undefined, stop }
}
