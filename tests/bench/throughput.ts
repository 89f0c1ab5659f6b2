import type { Wire } from './bare.ts'
import type { Commits, Question } from './coffer.ts'
import { type Effort, measure, type Summary, type Target } from './measure.ts'
import { startPeers } from './peers.ts'
import { ask, start, stop } from './processes.ts'
import { creates, gets, newCards } from './requests.ts'
import type { BenchVault } from './vault.ts'

export type Row = { readonly operation: string; readonly connections: number } & Summary
type Curve = {
  readonly name: string
  readonly points: readonly (readonly [connections: number, per_second: number])[]
}
export type Throughput = { rows: Row[]; curves: Curve[]; per_commit: number; peers: boolean }

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
  const load = start('load.ts')
  const coffer = start('coffer.ts', [vault.dataDir])
  const { port } = await ask<{ port: number }>(coffer)
  const bare = start('bare.ts')
  const barePort = await ask<number>(bare, {
    GET: await answerTo(vault, port),
    POST: await answerToPost(vault, port),
  })
  const peers = await startPeers(vault.samples, TOKENS, work)
  const { samples, keys } = vault
  const targets: readonly Target[] = [
    { name: 'bare GET', port: barePort, requests: gets(samples, keys.mask, barePort) },
    { name: 'Coffer GET, masked', port, server: coffer, requests: gets(samples, keys.mask, port) },
    { name: 'Coffer GET, revealed', port, server: coffer, requests: gets(samples, keys.reveal, port) },
    ...peers.map((peer) => ({
      name: `${peer.name} GET`,
      port: peer.port,
      requests: gets(samples, keys.mask, peer.port),
    })),
    { name: 'bare POST', port: barePort, requests: creates(keys, barePort) },
    { name: 'Coffer POST', port, server: coffer, requests: creates(keys, port) },
    ...peers.map((peer) => ({
      name: `${peer.name} POST`,
      port: peer.port,
      requests: creates(keys, peer.port),
    })),
  ]
  const rows: Row[] = []
  let per_commit = 0
  for (const connections of [1, 32]) {
    await ask<Commits>(coffer, { ask: 'commits' } satisfies Question)
    for (const [operation, summary] of await measure(load, targets, connections, effort)) {
      rows.push({ operation, connections, ...summary })
    }
    const { creates: made, commits } = await ask<Commits>(coffer, { ask: 'commits' } satisfies Question)
    per_commit = made / commits
  }
  const own = targets.filter(({ name }) =>
    ['bare GET', 'Coffer GET, masked', 'bare POST', 'Coffer POST'].includes(name),
  )
  const curves = own.map(({ name }) => ({ name, points: [] as [number, number][] }))
  for (const connections of levels) {
    const measured = await measure(load, own, connections, { ...effort, runs: 3 })
    for (const curve of curves) curve.points.push([connections, measured.get(curve.name)?.per_second ?? 0])
  }
  await Promise.all([coffer, bare, load].map(stop))
  return { rows, curves, per_commit, peers: peers.length > 0 }
}

function answerTo({ samples, keys }: BenchVault, port: number): Promise<Wire> {
  return capture(`http://127.0.0.1:${port}/tokens/${samples[0]?.id}`, {
    headers: { 'SVC-API-KEY': keys.mask },
  })
}

function answerToPost({ keys }: BenchVault, port: number): Promise<Wire> {
  return capture(`http://127.0.0.1:${port}/tokens`, {
    method: 'POST',
    headers: { 'SVC-API-KEY': keys.mask, 'Content-Type': 'application/json' },
    body: JSON.stringify(newCards(1)[0]),
  })
}

/** Coffer's response bodies and headers, so that the bare server sends the same. Node adds the other headers. */
async function capture(url: string, init: RequestInit): Promise<Wire> {
  const response = await fetch(url, init)
  const own = ['connection', 'date', 'keep-alive', 'transfer-encoding']
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !own.includes(name)))
  return { status: response.status, headers, body: await response.text() }
}
