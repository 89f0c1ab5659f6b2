import type { Wire } from './bare.ts'
import type { CofferQuestion, Commits } from './coffer.ts'
import { type BenchTarget, type Effort, measureTargets, type Summary } from './measure.ts'
import { startPeers } from './peers.ts'
import { askChild, startModule, stopChild } from './processes.ts'
import { buildCards, buildCreates, buildGets } from './requests.ts'
import type { BenchVault } from './vault.ts'

export type ThroughputRow = { readonly operation: string; readonly connections: number } & Summary
type Curve = {
  readonly name: string
  readonly points: readonly (readonly [connections: number, per_second: number])[]
}
export type Throughput = { rows: ThroughputRow[]; curves: Curve[]; per_commit: number; peers: boolean }

const TOKENS = 1000

/**
 * Measures requests per second at 1 and 32 connections, compared with the bare server and the peers, and curves over
 * more numbers of connections.
 */
export async function measureThroughput(
  vault: BenchVault,
  effort: Effort,
  levels: readonly number[],
  work: string,
): Promise<Throughput> {
  const load = startModule('load.ts')
  const coffer = startModule('coffer.ts', [vault.dataDir])
  const { port } = await askChild<{ port: number }>(coffer)
  const bare = startModule('bare.ts')
  const barePort = await askChild<number>(bare, {
    GET: await captureGet(vault, port),
    POST: await capturePost(vault, port),
  })
  const peers = await startPeers(vault.samples, TOKENS, work)
  const { samples, keys } = vault
  const targets: readonly BenchTarget[] = [
    { name: 'bare GET', port: barePort, requests: buildGets(samples, keys.mask, barePort) },
    { name: 'Coffer GET, masked', port, server: coffer, requests: buildGets(samples, keys.mask, port) },
    { name: 'Coffer GET, revealed', port, server: coffer, requests: buildGets(samples, keys.reveal, port) },
    ...peers.map((peer) => ({
      name: `${peer.name} GET`,
      port: peer.port,
      requests: buildGets(samples, keys.mask, peer.port),
    })),
    { name: 'bare POST', port: barePort, requests: buildCreates(keys, barePort) },
    { name: 'Coffer POST', port, server: coffer, requests: buildCreates(keys, port) },
    ...peers.map((peer) => ({
      name: `${peer.name} POST`,
      port: peer.port,
      requests: buildCreates(keys, peer.port),
    })),
  ]
  const rows: ThroughputRow[] = []
  let per_commit = 0
  for (const connections of [1, 32]) {
    await askChild<Commits>(coffer, { ask: 'commits' } satisfies CofferQuestion)
    for (const [operation, summary] of await measureTargets(load, targets, connections, effort)) {
      rows.push({ operation, connections, ...summary })
    }
    const { creates: created, commits } = await askChild<Commits>(coffer, {
      ask: 'commits',
    } satisfies CofferQuestion)
    per_commit = created / commits
  }
  const own = targets.filter(({ name }) =>
    ['bare GET', 'Coffer GET, masked', 'bare POST', 'Coffer POST'].includes(name),
  )
  const curves = own.map(({ name }) => ({ name, points: [] as [number, number][] }))
  for (const connections of levels) {
    const measured = await measureTargets(load, own, connections, { ...effort, runs: 3 })
    for (const curve of curves) curve.points.push([connections, measured.get(curve.name)?.per_second ?? 0])
  }
  await Promise.all([coffer, bare, load].map(stopChild))
  return { rows, curves, per_commit, peers: peers.length > 0 }
}

function captureGet({ samples, keys }: BenchVault, port: number): Promise<Wire> {
  return captureResponse(`http://127.0.0.1:${port}/tokens/${samples[0]?.id}`, {
    headers: { 'SVC-API-KEY': keys.mask },
  })
}

function capturePost({ keys }: BenchVault, port: number): Promise<Wire> {
  return captureResponse(`http://127.0.0.1:${port}/tokens`, {
    method: 'POST',
    headers: { 'SVC-API-KEY': keys.mask, 'Content-Type': 'application/json' },
    body: JSON.stringify(buildCards(1)[0]),
  })
}

/** Coffer's response bodies and headers, so that the bare server sends the same. Node adds the other headers. */
async function captureResponse(url: string, init: RequestInit): Promise<Wire> {
  const response = await fetch(url, init)
  const own = ['connection', 'date', 'keep-alive', 'transfer-encoding']
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !own.includes(name)))
  return { status: response.status, headers, body: await response.text() }
}
