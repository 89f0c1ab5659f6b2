import type { ChildProcess } from 'node:child_process'
import { type Effort, measure, median, type Target } from './measure.ts'
import { ask, start, stop } from './processes.ts'
import { creates, gets, lists, wire } from './requests.ts'
import { type BenchVault, fileBytes, fillVault } from './vault.ts'

/** The costs of a vault with this many tokens; latencies are medians in microseconds. */
export type Size = {
  readonly tokens: number
  readonly p50: Readonly<Record<string, number>>
  readonly opened_ms: number
  readonly bytes_per_token: number
  /** The bytes that a token created over HTTP adds to the file, including its log record. */
  readonly bytes_per_create: number
}

const PAGE = 20
const FARTHEST_PAGE = 10_000

/** Fills the vault to one size after another, and measures every operation over one connection at each. */
export async function measureGrowth(
  vault: BenchVault,
  sizes: readonly number[],
  effort: Effort,
  say: (text: string) => void,
): Promise<Size[]> {
  const results: Size[] = []
  for (const tokens of sizes) {
    const before = vault.tokens
    const bytes = fileBytes(vault)
    const seconds = await fillVault(vault, tokens)
    const bytes_per_token = (fileBytes(vault) - bytes) / (tokens - before)
    say(`${(tokens - before).toLocaleString('en')} tokens in ${seconds.toFixed(1)} s`)
    results.push({ ...(await measureSize(vault, effort)), bytes_per_token })
  }
  return results
}

async function measureSize(vault: BenchVault, effort: Effort): Promise<Omit<Size, 'bytes_per_token'>> {
  const reads = await serve(vault, async ({ port, load }) => {
    const { samples, keys } = vault
    const far = await farPage(vault, port)
    const targets: Target[] = [
      { name: 'get, masked', port, requests: gets(samples, keys.mask, port) },
      { name: 'get, revealed', port, requests: gets(samples, keys.reveal, port) },
      ...Object.entries(lists(samples, keys, port)).map(([name, requests]) => ({ name, port, requests })),
      { name: 'list, far page', port, requests: [far] },
    ]
    return measure(load, targets, 1, effort)
  })
  // Measured separately, because reads also add log records to the file.
  const before = fileBytes(vault)
  const writes = await serve(vault, ({ port, load }) => {
    const target = { name: 'create', port, requests: creates(vault.keys, port) }
    return measure(load, [target], 1, { ...effort, warm_ms: 60_000, run_ms: 60_000 }, effort.creates)
  })
  const p50 = [...reads.result, ...writes.result].map(([name, summary]) => [name, summary.p50] as const)
  return {
    tokens: vault.tokens,
    p50: Object.fromEntries(p50),
    opened_ms: median([reads.opened_ms, writes.opened_ms]),
    bytes_per_create: (fileBytes(vault) - before) / (effort.creates * (effort.runs + 1)),
  }
}

type Served = { readonly port: number; readonly load: ChildProcess }

async function serve<T>(
  { dataDir }: BenchVault,
  work: (served: Served) => Promise<T>,
): Promise<{ result: T; opened_ms: number }> {
  const load = start('load.ts')
  const coffer = start('coffer.ts', [dataDir])
  const { port, opened_ms } = await ask<{ port: number; opened_ms: number }>(coffer)
  const result = await work({ port, load })
  await Promise.all([coffer, load].map(stop))
  return { result, opened_ms }
}

/**
 * Returns the request for page 10,000 of the list, or for the last full page of a smaller vault, by following the
 * pages.
 */
async function farPage({ keys, tokens }: BenchVault, port: number): Promise<string> {
  const farthest = Math.min(FARTHEST_PAGE, Math.floor(tokens / PAGE))
  let start = ''
  for (let page = 1; page < farthest; page++) {
    const response = await fetch(`http://127.0.0.1:${port}/v2/tokens?size=${PAGE}${start}`, {
      headers: { 'SVC-API-KEY': keys.mask },
    })
    const { pagination } = (await response.json()) as { pagination: { next?: string } }
    if (pagination.next === undefined) break
    start = `&start=${pagination.next}`
  }
  return wire({ key: keys.mask, method: 'GET', path: `/v2/tokens?size=${PAGE}${start}` }, port)
}
