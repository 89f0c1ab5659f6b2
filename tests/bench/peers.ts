import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { openApi } from '../../electron/http/openapi.ts'
import { startProgram } from './processes.ts'
import { buildCards, type NewCard } from './requests.ts'
import type { TokenSample } from './vault.ts'

const versions = { 'json-server': '0.17.4', '@stoplight/prism-cli': '5.16.0' } as const
const folder = path.join(os.tmpdir(), `coffer-bench-peers-${Object.values(versions).join('-')}`)

export type Peer = { readonly name: string; readonly port: number }

/** Installs the compared servers into their own folder on the first run. Returns false if npm cannot fetch them. */
function fetchPeers(): boolean {
  if (fs.existsSync(path.join(folder, 'complete'))) return true
  process.stderr.write('Fetching json-server and prism …\n')
  const packages = Object.entries(versions).map(([name, version]) => `${name}@${version}`)
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  fs.mkdirSync(folder, { recursive: true })
  const done = spawnSync('npm', ['install', '--prefix', folder, ...flags, ...packages], {
    stdio: 'ignore',
    timeout: 180_000,
    shell: process.platform === 'win32',
  })
  if (done.status !== 0) return false
  fs.writeFileSync(path.join(folder, 'complete'), '')
  return true
}

function readEntry(name: keyof typeof versions): string {
  const root = path.join(folder, 'node_modules', name)
  const { bin } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    bin: string | Record<string, string>
  }
  const file = typeof bin === 'string' ? bin : Object.values(bin)[0]
  return path.join(root, file ?? '')
}

/**
 * Starts json-server with the same number of tokens, and prism with our OpenAPI document. Returns an empty list if they
 * cannot be fetched.
 */
export async function startPeers(
  samples: readonly TokenSample[],
  tokens: number,
  work: string,
): Promise<Peer[]> {
  if (!fetchPeers()) return []
  const database = path.join(work, 'json-server.json')
  fs.writeFileSync(database, JSON.stringify({ tokens: buildTokens(samples, tokens) }))
  const document = path.join(work, 'openapi.json')
  fs.writeFileSync(document, JSON.stringify(openApi('http://127.0.0.1:4747')))
  startProgram([readEntry('json-server'), '--quiet', '--host', '127.0.0.1', '--port', '47701', database])
  startProgram([
    readEntry('@stoplight/prism-cli'),
    'mock',
    '--verboseLevel',
    'silent',
    '--port',
    '47702',
    document,
  ])
  const peers = [
    { name: 'json-server', port: 47701 },
    { name: 'prism', port: 47702 },
  ]
  const [{ id }] = samples as [TokenSample]
  for (const { port } of peers) await waitForResponse(`http://127.0.0.1:${port}/tokens/${id}`)
  return peers
}

function buildTokens(samples: readonly TokenSample[], tokens: number): (NewCard & { id: string })[] {
  return buildCards(tokens).map((card, at) => ({ id: samples[at]?.id ?? `token-${at}`, ...card }))
}

async function waitForResponse(url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      const { ok } = await fetch(url, { headers: { 'SVC-API-KEY': 'any' } })
      if (ok) return
    } catch {}
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${url} does not answer.`)
}
