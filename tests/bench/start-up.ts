import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { version } from '../../electron/cli/terminal/version.ts'
import { openSessions } from '../../electron/host/control/control-session.ts'
import { argon2idDefault, derivePassphraseKey } from '../../electron/host/keys/passphrase.ts'
import { measureSearches } from './finds.ts'
import type { Load, LoadResult } from './load.ts'
import { computeMedian } from './measure.ts'
import {
  askChild,
  readResidentBytes,
  startModule,
  startProbed,
  startProgram,
  stopChild,
} from './processes.ts'
import { buildCreates, buildGets, buildLists } from './requests.ts'
import { buildVariedRequests, type VariedKeys } from './varied.ts'
import { type BenchVault, passphrase } from './vault.ts'

export type StartUp = {
  /** From the start of the program to its first response, in milliseconds. */
  readonly first_answer_ms: number
  /** The time to derive the key from the passphrase while nothing else runs. */
  readonly passphrase_ms: number
  readonly runs: readonly number[]
}

/** The Node options of `npm run coffer`. */
export const flags = [
  '--disable-warning=ExperimentalWarning',
  '--min-semi-space-size=8',
  '--max-semi-space-size=8',
]
export const root = path.join(import.meta.dirname, '..', '..')

/** The CLI as installed: the build if there is one, otherwise its sources. */
export function getProgramFile(tree: string): string {
  const built = path.join(tree, 'out', 'cli', 'coffer.js')
  return fs.existsSync(built) ? built : path.join(tree, 'electron', 'cli', 'coffer.ts')
}

/** Starts `coffer serve` on a vault, of this commit or of another one's tree. */
export function startServe(vault: BenchVault, tree = root, more: readonly string[] = []) {
  return startProbed([...getServeArgs(vault, tree), ...more], { COFFER_PASSPHRASE: passphrase })
}

/** Starts `coffer serve` like `npm start`, without the probe: compiling that TypeScript module takes time and 20 MB. */
function startBareServe(vault: BenchVault) {
  return startProgram(getServeArgs(vault, root), { COFFER_PASSPHRASE: passphrase, MALLOC_ARENA_MAX: '1' })
}

function getServeArgs({ dataDir }: BenchVault, tree: string): string[] {
  return [...flags, getProgramFile(tree), 'serve', '--data-dir', dataDir, '--port', '0', '--json']
}

/** Returns the base URL that `coffer serve` prints. */
export async function readUrl(child: ReturnType<typeof startServe>): Promise<string> {
  let text = ''
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk)
    if (text.includes('\n')) break
  }
  return (JSON.parse(text) as { url: string }).url
}

/** Measures `coffer serve` on an existing vault, from the start to the first token. */
export async function measureStartUp(vault: BenchVault, runs: number): Promise<StartUp> {
  const times: number[] = []
  // The first run fills the compile cache.
  for (let run = 0; run <= runs; run++) {
    const started = performance.now()
    const child = startBareServe(vault)
    const response = await fetch(`${await readUrl(child)}/tokens/${vault.samples[0]?.id}`, {
      headers: { 'SVC-API-KEY': vault.keys.mask },
    })
    await response.text()
    if (response.status !== 200) throw new Error(`The first answer was ${response.status}.`)
    if (run > 0) times.push(performance.now() - started)
    await stopChild(child)
  }
  const hashing: number[] = []
  for (let run = 0; run < runs; run++) {
    const started = performance.now()
    await derivePassphraseKey(passphrase, randomBytes(16), argon2idDefault)
    hashing.push(performance.now() - started)
  }
  return { first_answer_ms: computeMedian(times), passphrase_ms: computeMedian(hashing), runs: times }
}

/** Resident memory of `coffer serve`, in bytes. */
export type Memory = {
  readonly idle: number
  /** The memory after one request of each kind. */
  readonly used: number
  /** The memory after these requests and `REST_S` idle seconds. */
  readonly rested: number
}

export const REST_S = 20

/** Sends `coffer serve` every kind of request, then lets it idle. */
export async function measureMemory(vault: BenchVault, ms: number, varied?: VariedKeys): Promise<Memory> {
  const load = startModule('load.ts')
  const child = startBareServe(vault)
  const port = Number(new URL(await readUrl(child)).port)
  const idle = readResidentBytes(child)
  const all = [
    buildGets(vault.samples, vault.keys.mask, port),
    ...Object.values(buildLists(vault.samples, vault.keys, port)),
    ...(varied ? Object.values(buildVariedRequests(vault, varied)(port)) : []),
    buildCreates(vault.keys, port),
  ]
  for (const requests of all.filter(({ length }) => length > 0))
    await askChild<LoadResult>(load, { port, connections: 8, ms, requests } satisfies Load)
  const [session] = (await openSessions(vault.dataDir)).sessions
  if (!session) throw new Error('The server has no control socket.')
  await measureSearches(session.startSession(version))
  session.close()
  const used = readResidentBytes(child)
  await wait(REST_S * 1000)
  const rested = readResidentBytes(child)
  await Promise.all([child, load].map(stopChild))
  return { idle, used, rested }
}
