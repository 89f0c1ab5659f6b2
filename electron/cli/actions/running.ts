import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { CofferError } from '../../../shared/errors.ts'
import type { ControlSession } from '../../host/control/control-session.ts'
import { formatVaultCommand } from '../hint.ts'
import { requireRunning } from '../terminal/access.ts'
import type { InMemory } from '../terminal/in-memory.ts'
import { unlockLocation } from '../terminal/open-vault.ts'
import { printHint, printLine, toVaultLocation, type VaultLocation } from '../terminal/vault-options.ts'

export type StopOptions = InMemory & {
  readonly dataDir?: string
  readonly vault: string
  readonly json?: true
}

export type OpenOptions = StopOptions & { readonly print?: true }

const POLL_INTERVAL_MS = 50
/** How often a process that has ended is awaited further, until its threads have ended too. */
const MAX_ZOMBIE_POLLS = 3
/** How long a browser may take to read the file with the link. */
const READ_MS = 10_000

function connectTo(options: StopOptions, command: Command): Promise<ControlSession> {
  const isVaultNamed = command.getOptionValueSource('vault') !== 'default'
  return requireRunning(toVaultLocation(options), options, isVaultNamed)
}

/** Opens the console of a running Coffer in the browser, or prints its link. */
export async function openWindow(options: OpenOptions, command: Command): Promise<void> {
  const session = await connectTo(options, command)
  let link: string
  try {
    link = await fetchLink(session, toVaultLocation(options))
  } finally {
    session.close()
  }
  if (options.json) return printLine(JSON.stringify({ link }))
  if (options.print || !(await showInBrowser(link))) return printLine(link)
  printLine('The window opens in your browser.')
}

async function fetchLink(session: ControlSession, location: VaultLocation): Promise<string> {
  const { command, pid, vault } = session.greeting
  if (!vault?.in_memory) {
    using key = await unlockLocation(location)
    await session.proveAccess(key.master)
  }
  const link = await session.fetchWindowLink()
  if (link !== null) return link
  throw new CofferError(
    'conflict',
    `${command} (process ${pid}) serves no window. Start it with: ${formatVaultCommand(location, 'serve', '--console')}`,
  )
}

const openers: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/**
 * Opens a link in the browser. Returns false if no program does that. SECURITY: the link is in a file that only this user
 * can read, because others can read the arguments of a program.
 */
async function showInBrowser(link: string): Promise<boolean> {
  const [program, ...args] = openers[process.platform] ?? ['xdg-open']
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-open-'))
  try {
    const file = path.join(folder, 'window.html')
    fs.writeFileSync(file, `<meta http-equiv="refresh" content="0; url=${link}">`, { mode: 0o600 })
    const child = spawn(program, [...args, file], { stdio: 'ignore' })
    const code = await new Promise((resolve) => {
      child.once('error', () => resolve(null))
      child.once('exit', resolve)
    })
    if (code === 0) await delay(READ_MS)
    return code === 0
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** Stops a running `coffer serve`, and waits until its process has ended. */
export async function stopServing(options: StopOptions, command: Command): Promise<void> {
  const session = await connectTo(options, command)
  const { pid, command: served, url, vault } = session.greeting
  session.close()
  if (served !== 'coffer serve') {
    throw new CofferError('conflict', `The vault is open in ${served} (process ${pid}). Close it there.`)
  }
  process.kill(pid, 'SIGTERM')
  for (let polls = 0; isRunning(pid) && polls < MAX_ZOMBIE_POLLS; polls = isZombie(pid) ? polls + 1 : 0)
    await delay(POLL_INTERVAL_MS)
  if (options.json) return printLine(JSON.stringify({ pid, url, in_memory: vault?.in_memory ?? false }))
  printLine(`Stopped coffer serve (process ${pid})${url === null ? '' : `, which listened at ${url}`}.`)
  if (vault?.in_memory) printHint('The in-memory vault was deleted.')
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Whether a process has ended, but its parent has not noticed: in some containers, nothing does. */
function isZombie(pid: number): boolean {
  try {
    return /\) [ZX] /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
