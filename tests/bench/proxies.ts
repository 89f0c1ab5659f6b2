import type { ChildProcess } from 'node:child_process'
import fs from 'node:fs'
import type { Load } from './load.ts'
import { type Effort, measure, type Summary, type Target } from './measure.ts'
import { ask, start, stop } from './processes.ts'
import { serve, urlOf } from './start-up.ts'
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
  const load = start('load.ts')
  const bare = start('proxied.ts', ['bare'])
  const barePort = await ask<number>(bare)
  const reverse = start('proxied.ts', ['reverse', String(barePort)])
  const reversePort = await ask<number>(reverse)
  const coffer = start('coffer.ts', [vault.dataDir])
  const { port } = await ask<{ port: number }>(coffer)
  const expressions = vault.samples.map(({ id }) => [
    `{{ ${id} | json: '$.number' }}`,
    `{{ ${id} | json: '$.expiration_year' }}`,
  ])
  const values = vault.samples.map(({ number }) => [number, '2030'])
  const headers = [`SVC-API-KEY: ${vault.keys.reveal}`, `SVC-PROXY-URL: http://127.0.0.1:${barePort}`]
  const targets: Target[] = [
    { name: 'the destination itself', port: barePort, requests: posts(barePort, '/v1/charges', values) },
    { name: 'http-proxy', port: reversePort, requests: posts(reversePort, '/v1/charges', values) },
    {
      name: 'Coffer, two expressions',
      port,
      server: coffer,
      requests: posts(port, '/proxy/v1/charges', expressions, headers),
    },
    {
      name: 'Coffer, none',
      port,
      server: coffer,
      requests: posts(port, '/proxy/v1/charges', values, headers),
    },
  ]
  const measured = await measure(load, targets, CONNECTIONS, effort)
  await stop(coffer)
  const peak_mb = await streamed(vault, load, barePort)
  await Promise.all([load, reverse, bare].map(stop))
  return {
    rows: [...measured].map(([operation, summary]) => ({ operation, ...summary })),
    ...(peak_mb && { peak_mb }),
  }
}

/** POSTs of 1 kB, as bytes. */
function posts(
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
async function streamed(
  vault: BenchVault,
  load: ChildProcess,
  destination: number,
): Promise<Proxies['peak_mb']> {
  if (!fs.existsSync('/proc/self/status')) return undefined
  const child = serve(vault)
  try {
    const port = Number(new URL(await urlOf(child)).port)
    const head = (method: string, path: string) =>
      [
        `${method} ${path} HTTP/1.1`,
        `Host: 127.0.0.1:${port}`,
        `SVC-API-KEY: ${vault.keys.reveal}`,
        `SVC-PROXY-URL: http://127.0.0.1:${destination}`,
      ].join('\r\n')
    const run = (request: string) =>
      ask(load, { port, connections: 8, ms: 60_000, most: 24, requests: [request] } satisfies Load)
    const before = peakMb(child)
    forgetPeak(child)
    await run(
      `${head('POST', '/proxy/up')}\r\nContent-Type: text/plain\r\nContent-Length: ${STREAMED}\r\n\r\n${'x'.repeat(STREAMED)}`,
    )
    const up = peakMb(child)
    forgetPeak(child)
    await run(`${head('GET', '/proxy/down')}\r\n\r\n`)
    return { before, up, down: peakMb(child) }
  } finally {
    await stop(child)
  }
}

/** Resets the peak, because deriving the key from the passphrase takes more memory than everything after it. */
function forgetPeak({ pid }: ChildProcess): void {
  fs.writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** Returns the peak resident memory of a process since the last reset. */
function peakMb({ pid }: ChildProcess): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round((Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024) / 1e6)
}
