import { type ChildProcess, spawn } from 'node:child_process'
import readline from 'node:readline'
import type { StarterKeys } from '../../host/initial-data/starter-applications.ts'
import { formatVaultCommand } from '../hint.ts'
import { printSecrets } from '../terminal/banner.ts'
import { readPassphrase } from '../terminal/secrets.ts'
import type { ServeOptions } from '../terminal/serve-options.ts'
import { printHint, printLine, toVaultLocation } from '../terminal/vault-options.ts'

type ServedFacts = {
  readonly url: string
  readonly keys?: StarterKeys
  readonly recovery_key?: string
  readonly console?: string
}

/**
 * Starts `coffer serve` in the background, and returns once it serves. If it cannot start, it has printed the reason,
 * and its exit code becomes that of this process.
 */
export async function serveDetached(options: ServeOptions): Promise<void> {
  const child = startServer()
  const first = await readFirstLine(child)
  if (child.exitCode !== null || first === null) {
    if (options.json && first !== null) printLine(first)
    process.exitCode = child.exitCode ?? 1
    return
  }
  for (const stream of [child.stdout, child.stderr]) stream?.destroy()
  child.unref()
  if (options.json) return printLine(first)
  const facts: ServedFacts = JSON.parse(first)
  printLine(`Coffer is listening on ${facts.url} in the background (process ${child.pid}).`)
  printSecrets({ recovery_key: facts.recovery_key, keys: facts.keys })
  if (facts.console !== undefined)
    printLine(`\nOpen the window in your browser with this link, which works once: ${facts.console}`)
  printLine(`\nStop it with: ${formatVaultCommand(toVaultLocation(options), 'stop')}`)
}

function startServer(): ChildProcess {
  const [node, script = '', ...args] = process.argv
  const passphrase = readPassphrase()
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    ...(passphrase !== undefined && { COFFER_PASSPHRASE: passphrase }),
  }
  // The server must outlive the npm script that started it.
  delete env.npm_package_name
  const ownArgs = args.filter((each) => each !== '--detach')
  return spawn(
    node ?? process.execPath,
    [...process.execArgv, script, ...ownArgs, '--json', '--log', 'off'],
    { detached: true, stdio: ['ignore', 'pipe', 'pipe'], env },
  )
}

/** Returns the first line that a server prints once it serves or has failed; null if it ends without one. */
async function readFirstLine(child: ChildProcess): Promise<string | null> {
  const { stdout, stderr } = child
  if (!stdout || !stderr) return null
  const notes = readline.createInterface({ input: stderr }).on('line', printHint)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const first = await new Promise<string | null>((resolve) => {
    readline.createInterface({ input: stdout }).once('line', resolve)
    void ended.then(() => resolve(null))
  })
  if (first?.startsWith('{"error"')) await ended
  notes.close()
  return first
}
