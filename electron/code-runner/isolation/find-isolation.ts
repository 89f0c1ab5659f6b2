import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import { promisify } from 'node:util'
import { startProcess } from './start-process.ts'
import { listWrappers, type NodeProgram, type Wrap, type Wrapper, wrapNothing } from './wrappers.ts'

/** What the system was seen to refuse to a process, without Node's permissions. */
export type Refusals = { readonly files: boolean; readonly processes: boolean; readonly programs: boolean }

/** How processes that run code are kept apart by the system. */
export type Isolation = {
  readonly program: NodeProgram
  readonly wrap: Wrap
  /** The name of the wrapper; null if none works, so that Node's permissions alone apply. */
  readonly by: Wrapper['by'] | null
  readonly refuses: Refusals
}

const TRIAL_TIMEOUT_MS = 10_000

const found = new Map<string, Promise<Isolation>>()

/** Finds the strongest wrapper that works for this Node, by trying each once per process of Coffer. Never rejects. */
export function findIsolation(node = process.execPath): Promise<Isolation> {
  const known = found.get(node) ?? chooseWrapper(node)
  found.set(node, known)
  return known
}

async function chooseWrapper(node: string): Promise<Isolation> {
  const wrappers = listWrappers()
  const isOther = node !== process.execPath
  const program = wrappers.length > 0 || isOther ? await readProgram(node) : null
  for (const { by, wrap } of program ? wrappers : []) {
    const refuses = program && (await tryWrap(program, wrap))
    if (refuses && (refuses.files || refuses.processes)) return { program, wrap, by, refuses }
  }
  return createNoIsolation(node, program?.networkOptions)
}

/** Returns what applies where no wrapper works: Node's permissions alone. */
export function createNoIsolation(node: string, networkOptions = ownNetworkOptions): Isolation {
  const refuses = { files: false, processes: false, programs: false }
  return { program: { node, libraries: [], networkOptions }, wrap: wrapNothing, by: null, refuses }
}

/** From Node 25, the permission model includes the network, and code makes its own calls. Earlier ones lack the option. */
const ALLOW_NET = '--allow-net'
const ownNetworkOptions: readonly string[] = [ALLOW_NET].filter((each) =>
  process.allowedNodeEnvironmentFlags.has(each),
)

/** Reads where a Node really is, since the name may be a link or a script, and about it. Null if it fails. */
async function readProgram(node: string): Promise<NodeProgram | null> {
  const script = `process.report.excludeNetwork = true
    const hasNetwork = process.allowedNodeEnvironmentFlags.has('${ALLOW_NET}')
    console.log(JSON.stringify([hasNetwork, process.execPath, ...process.report.getReport().sharedObjects]))`
  try {
    const { stdout } = await promisify(execFile)(node, ['-e', script], { timeout: TRIAL_TIMEOUT_MS })
    const [hasNetwork, file = node, ...libraries]: [boolean, ...string[]] = JSON.parse(stdout)
    const real = fs.realpathSync(file)
    return {
      node: real,
      libraries: libraries.filter((each) => each !== real && fs.existsSync(each)),
      networkOptions: hasNetwork ? [ALLOW_NET] : [],
    }
  } catch {
    return null
  }
}

/** Tries what code must not do, then what it must be able to do: find a name and connect. */
const trial = `const fs = require('node:fs')
const [, parent, ...folders] = process.argv
const isRefused = (act) => { try { act(); return false } catch { return true } }
const write = (folder) => fs.rmdirSync(fs.mkdtempSync(folder + '/coffer-'))
const files = isRefused(() => fs.readFileSync('/bin/sh')) && folders.every((each) => isRefused(() => write(each)))
const processes = isRefused(() => process.kill(Number(parent), 0))
const { error } = require('node:child_process').spawnSync(process.execPath, ['-e', ''])
const seen = { pid: process.pid, files, processes, programs: error?.code === 'EPERM' }
const end = () => { console.log(JSON.stringify(seen)); process.exit() }
require('node:net').connect(1, 'localhost').on('connect', end).on('error', ({ code }) => code === 'ECONNREFUSED' && end())`

/** Starts a process in a wrapper, and returns what it was refused. Null if it did not start or cannot connect. */
export async function tryWrap(program: NodeProgram, wrap: Wrap): Promise<Refusals | null> {
  let timer: NodeJS.Timeout | undefined
  try {
    const args = ['-e', trial, String(process.pid), os.homedir(), os.tmpdir()]
    const { child, stdout, kill } = startProcess(wrap(program, args, []), '/')
    timer = setTimeout(kill, TRIAL_TIMEOUT_MS)
    let output = ''
    for await (const chunk of stdout) output += chunk
    const { pid, ...seen }: Refusals & { readonly pid: number } = JSON.parse(output)
    // With process numbers of its own, it signalled another process. In a container, Coffer is often process 1 too.
    return { ...seen, processes: seen.processes || pid !== child.pid }
  } catch {
    return null
  } finally {
    clearTimeout(timer)
  }
}

const names = [
  ['files', 'reading or writing files'],
  ['processes', 'reaching other processes'],
  ['programs', 'starting programs'],
] as const

/** Says in sentences what keeps code apart on this machine, and what would do so better. */
export function describeIsolation({ by, refuses }: Pick<Isolation, 'by' | 'refuses'>): string {
  const refused = listNames((name) => refuses[name])
  const rest = listNames((name) => !refuses[name])
  const bySystem = by === null ? '' : `The system, with ${by}, keeps code from ${refused}.`
  const byNode = rest === '' ? '' : `Only Node’s permissions keep code from ${rest}.`
  return [bySystem, byNode, rest === '' ? '' : suggestWrapper()].filter((each) => each !== '').join(' ')
}

function listNames(isListed: (name: keyof Refusals) => boolean): string {
  const listed = names.filter(([name]) => isListed(name)).map(([, text]) => text)
  return new Intl.ListFormat('en-GB').format(listed)
}

function suggestWrapper(): string {
  if (process.platform !== 'linux') return ''
  return listWrappers().some(({ by }) => by === 'bwrap')
    ? 'Bubblewrap is installed, but does not work fully. Let it create user namespaces; see docs/security/code-isolation.md.'
    : 'Install bubblewrap to have the system do so too.'
}
