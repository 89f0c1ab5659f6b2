import type { ChildProcess } from 'node:child_process'
import fs from 'node:fs'
import type { Load } from './load.ts'
import { type BenchTarget, type Effort, measureTargets, type Summary } from './measure.ts'
import { askChild, startModule, stopChild } from './processes.ts'
import { readUrl, startServe } from './start-up.ts'
import type { BenchVault } from './vault.ts'

export type Proxies = {
  readonly rows: readonly ({ readonly operation: string } & Summary)[]
  /**
   * The peak memory of `coffer serve` while it opened the vault and while it streamed; absent if the system does not
   * report it.
   */
  readonly peak_mb?: { readonly before: number; readonly up: number; readonly down: number }
}

const CONNECTIONS = 32
const STREAMED = 25 * 1024 * 1024

/**
 * Measures a proxied POST of 1 kB with two expressions, compared with the destination itself and a bare reverse proxy.
 */
export async function measureProxies(vault: BenchVault, effort: Effort): Promise<Proxies> {
  const load = startModule('load.ts')
  const bare = startModule('proxied.ts', ['bare'])
  const barePort = await askChild<number>(bare)
  const reverse = startModule('proxied.ts', ['reverse', String(barePort)])
  const reversePort = await askChild<number>(reverse)
  const coffer = startServe(vault)
  const port = Number(new URL(await readUrl(coffer)).port)
  const values = listValues(vault)
  const targets: BenchTarget[] = [
    { name: 'the destination itself', port: barePort, requests: buildPosts(barePort, '/v1/charges', values) },
    { name: 'http-proxy', port: reversePort, requests: buildPosts(reversePort, '/v1/charges', values) },
    {
      name: 'Coffer, two expressions',
      port,
      server: coffer,
      requests: buildProxied(vault, port, barePort, 'two expressions'),
    },
    { name: 'Coffer, none', port, server: coffer, requests: buildProxied(vault, port, barePort, 'none') },
  ]
  const measured = await measureTargets(load, targets, CONNECTIONS, effort)
  await stopChild(coffer)
  for (const [name, { failed }] of measured)
    if (failed > 0) throw new Error(`${name}: ${failed} calls failed.`)
  const peak_mb = await measurePeak(vault, load, barePort)
  await Promise.all([load, reverse, bare].map(stopChild))
  return {
    rows: [...measured].map(([operation, summary]) => ({ operation, ...summary })),
    ...(peak_mb && { peak_mb }),
  }
}

/** Calls through Coffer to a destination at a port, as bytes: POSTs of 1 kB, with or without expressions. */
export function buildProxied(
  vault: BenchVault,
  port: number,
  destination: number,
  expressions: 'two expressions' | 'none',
): string[] {
  const headers = [`SVC-API-KEY: ${vault.keys.reveal}`, `SVC-PROXY-URL: http://127.0.0.1:${destination}`]
  const filled = vault.samples.map(({ id }) => [
    `{{ ${id} | json: '$.number' }}`,
    `{{ ${id} | json: '$.expiration_year' }}`,
  ])
  const values = expressions === 'none' ? listValues(vault) : filled
  return buildPosts(port, '/proxy/v1/charges', values, headers)
}

const listValues = ({ samples }: BenchVault) => samples.map(({ number }) => [number, '2030'])

/** POSTs of 1 kB, as bytes. */
function buildPosts(
  port: number,
  path: string,
  values: readonly (readonly string[])[],
  headers: readonly string[] = [],
): string[] {
  return values.map(([number, year]) => {
    const card = { number, expiration_month: 12, expiration_year: year }
    const order = { amount: 1000, currency: 'eur', card, description: '' }
    const text = JSON.stringify({ ...order, description: 'x'.repeat(1024 - JSON.stringify(order).length) })
    const head = [
      `POST ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      'Content-Type: application/json',
      ...headers,
    ]
    return [...head, `Content-Length: ${text.length}`, '', text].join('\r\n')
  })
}

/** Returns the peak memory of `coffer serve` before and after transfers of 25 MiB up and down, eight in parallel. */
async function measurePeak(
  vault: BenchVault,
  load: ChildProcess,
  destination: number,
): Promise<Proxies['peak_mb']> {
  if (!fs.existsSync('/proc/self/status')) return undefined
  const child = startServe(vault)
  try {
    const port = Number(new URL(await readUrl(child)).port)
    const buildHead = (method: string, path: string) =>
      [
        `${method} ${path} HTTP/1.1`,
        `Host: 127.0.0.1:${port}`,
        `SVC-API-KEY: ${vault.keys.reveal}`,
        `SVC-PROXY-URL: http://127.0.0.1:${destination}`,
      ].join('\r\n')
    const runTransfer = (request: string) =>
      askChild(load, {
        port,
        connections: 8,
        ms: 60_000,
        max_requests: 24,
        requests: [request],
      } satisfies Load)
    const before = readPeakMb(child)
    resetPeak(child)
    await runTransfer(
      `${buildHead('POST', '/proxy/up')}\r\nContent-Type: text/plain\r\nContent-Length: ${STREAMED}\r\n\r\n${'x'.repeat(STREAMED)}`,
    )
    const up = readPeakMb(child)
    resetPeak(child)
    await runTransfer(`${buildHead('GET', '/proxy/down')}\r\n\r\n`)
    return { before, up, down: readPeakMb(child) }
  } finally {
    await stopChild(child)
  }
}

/** Resets the peak, because deriving the key from the passphrase takes more memory than everything after it. */
function resetPeak({ pid }: ChildProcess): void {
  fs.writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** Returns the peak resident memory of a process since the last reset. */
function readPeakMb({ pid }: ChildProcess): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round((Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024) / 1e6)
}
