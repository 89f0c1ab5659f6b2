import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import readline from 'node:readline'
import { CofferError, fromProblem, type ProblemDetails } from '../../shared/errors.ts'
import type { CofferEvent, CofferOptions, RunningCoffer, Seed } from './index.mjs'
import { createTestControls, type Remote } from './test-controls.ts'

type CofferInfo = Pick<RunningCoffer, 'url' | 'tenant_id' | 'keys'> &
  Partial<Pick<RunningCoffer, 'client_keys'>> & {
    readonly as_hosted?: Pick<RunningCoffer, 'environment'>
  }

/** Starts a vault in a separate process, which ends with this one. */
export async function startChildProcess(options: CofferOptions): Promise<RunningCoffer> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-testing-'))
  try {
    const child = spawn(process.execPath, [findCommandLine(), ...createArguments(options, folder)], {
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    if (options.verbose) child.stderr.pipe(process.stderr, { end: false })
    const info = await readInfo(child)
    const remote = createRemote(info, child)
    // The first call starts recording events.
    await remote.events()
    const { as_hosted, ...facts } = info
    return {
      client_keys: [],
      ...facts,
      environment: as_hosted?.environment ?? {},
      ...createTestControls(remote),
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** The path of the CLI program. In the built package, the program is in the same folder as this file. */
function findCommandLine(): string {
  const built = path.join(import.meta.dirname, 'coffer.js')
  return fs.existsSync(built) ? built : path.join(import.meta.dirname, '..', 'cli', 'coffer.ts')
}

function createArguments(
  {
    seed,
    faults,
    port = 0,
    origins = [],
    destinations: { allow = [], map = {} } = {},
    reactors = false,
    strict = false,
    asHosted = false,
    verbose,
  }: CofferOptions,
  folder: string,
): string[] {
  const writeInput = (name: string, content: unknown) => {
    const file = path.join(folder, name)
    // SECURITY: a seed may hold keys.
    fs.writeFileSync(file, JSON.stringify(content, null, 2), { mode: 0o600 })
    return file
  }
  const seedFile =
    seed === undefined || typeof seed === 'string' ? seed : writeInput('seed', withAbsolutePaths(seed))
  return [
    ...['serve', '--ephemeral', '--until-input-ends', '--json', '--port', String(port)],
    ...(seedFile === undefined ? [] : ['--seed', seedFile]),
    ...(faults ? ['--faults', writeInput('faults', { rules: faults })] : []),
    ...(verbose ? ['--verbose'] : []),
    ...(strict ? ['--strict'] : []),
    ...(asHosted ? ['--as-hosted'] : []),
    ...(reactors === false ? [] : reactors === true ? ['--reactors'] : ['--reactors', reactors]),
    ...origins.flatMap((origin) => ['--cors-origin', origin]),
    ...allow.flatMap((host) => ['--allow-destination', host]),
    ...Object.entries(map).flatMap(([from, to]) => ['--map-destination', `${from}=${to}`]),
  ]
}

/**
 * Makes the paths in a seed absolute. They are relative to the working directory, not to the temporary file of the
 * seed.
 */
function withAbsolutePaths(seed: Seed): Seed {
  const resolveFilePath = <Entry extends { readonly file?: string }>(entry: Entry): Entry =>
    typeof entry.file === 'string' ? { ...entry, file: path.resolve(entry.file) } : entry
  return {
    ...seed,
    ...(seed.reactors && { reactors: seed.reactors.map(resolveFilePath) }),
    ...(seed.documents && { documents: seed.documents.map(resolveFilePath) }),
  }
}

function readInfo(child: ChildProcess): Promise<CofferInfo> {
  return new Promise((resolve, reject) => {
    const errorLines: string[] = []
    const { stdout, stderr } = child
    if (!stdout || !stderr) throw new CofferError('internal', 'The separate process has no output.')
    readline.createInterface({ input: stdout }).once('line', (line) => {
      const output = JSON.parse(line) as CofferInfo | { error: unknown }
      // If the process ends instead, its reason is on stderr.
      if (!('error' in output)) resolve(output)
    })
    readline
      .createInterface({ input: stderr })
      .on('line', (line) => errorLines.push(line.replace(/^coffer: /, '')))
    child.on('close', () => reject(new CofferError('unavailable', errorLines.join('\n'))))
  })
}

function createRemote({ url, keys }: CofferInfo, child: ChildProcess): Remote {
  const ended = new Promise((resolve) => child.once('close', resolve))
  const requestControls = (method: string, at: string, body?: unknown) =>
    sendRequest(method, `/_coffer/${at}`, body)
  const sendRequest = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(url + path, {
      method,
      headers: { 'SVC-API-KEY': keys.management, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const answer: unknown = text === '' ? undefined : JSON.parse(text)
    if (!response.ok) throw fromProblem(answer as ProblemDetails)
    return answer
  }
  const callControls = async (...args: Parameters<typeof requestControls>) => {
    await requestControls(...args)
  }
  return {
    reset: () => callControls('POST', 'reset'),
    now: async () => Date.parse(((await requestControls('GET', 'clock')) as { now: string }).now),
    setNow: (ms) => callControls('POST', 'clock', { now: new Date(ms).toISOString() }),
    saveSnapshot: (name) => callControls('PUT', `snapshots/${name}`),
    restoreSnapshot: (name) => callControls('POST', `snapshots/${name}/restore`),
    addFault: (rule) => callControls('POST', 'faults', { rules: [rule] }),
    async removeFault(name) {
      const path = `faults/${encodeURIComponent(name)}`
      await callControls('DELETE', path).catch((error: unknown) => {
        // A reset has already removed the fault.
        if (!(error instanceof CofferError && error.code === 'not_found')) throw error
      })
    },
    events: async () => ((await requestControls('GET', 'events')) as { data: CofferEvent[] }).data,
    createWebhook: async (webhook) => (await sendRequest('POST', '/webhooks', webhook)) as { id: string },
    async removeWebhook(id) {
      await sendRequest('DELETE', `/webhooks/${id}`)
    },
    webhookKey: async () => (await fetch(`${url}/.well-known/webhooks.v1.key`)).text(),
    async close() {
      // The process ends when its standard input is closed.
      child.stdin?.end()
      await ended
    },
  }
}
