import type { ChildProcess } from 'node:child_process'
import { type BenchTarget, computeMedian, type Effort, measureTargets } from './measure.ts'
import { askChild, startModule, stopChild } from './processes.ts'
import { buildCreates, buildGets, buildLists, formatRequest } from './requests.ts'
import { type BenchVault, fillVault, readDatabaseSize } from './vault.ts'

/** The costs of a vault with this many tokens; latencies are medians in microseconds. */
export type GrowthSize = {
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
  print: (text: string) => void,
): Promise<GrowthSize[]> {
  const results: GrowthSize[] = []
  for (const tokens of sizes) {
    const before = vault.tokens
    const bytes = readDatabaseSize(vault)
    const seconds = await fillVault(vault, tokens)
    const bytes_per_token = (readDatabaseSize(vault) - bytes) / (tokens - before)
    print(`${(tokens - before).toLocaleString('en')} tokens in ${seconds.toFixed(1)} s`)
    results.push({ ...(await measureSize(vault, effort)), bytes_per_token })
  }
  return results
}

async function measureSize(vault: BenchVault, effort: Effort): Promise<Omit<GrowthSize, 'bytes_per_token'>> {
  const reads = await withServer(vault, async ({ port, load }) => {
    const { samples, keys } = vault
    const far = await findFarPage(vault, port)
    const targets: BenchTarget[] = [
      { name: 'get, masked', port, requests: buildGets(samples, keys.mask, port) },
      { name: 'get, revealed', port, requests: buildGets(samples, keys.reveal, port) },
      ...Object.entries(buildLists(samples, keys, port)).map(([name, requests]) => ({
        name,
        port,
        requests,
      })),
      { name: 'list, far page', port, requests: [far] },
    ]
    return measureTargets(load, targets, 1, effort)
  })
  // Measured separately, because reads also add log records to the file.
  const before = readDatabaseSize(vault)
  const writes = await withServer(vault, ({ port, load }) => {
    const target = { name: 'create', port, requests: buildCreates(vault.keys, port) }
    return measureTargets(load, [target], 1, { ...effort, warm_ms: 60_000, run_ms: 60_000 }, effort.creates)
  })
  const p50 = [...reads.result, ...writes.result].map(([name, summary]) => [name, summary.p50] as const)
  return {
    tokens: vault.tokens,
    p50: Object.fromEntries(p50),
    opened_ms: computeMedian([reads.opened_ms, writes.opened_ms]),
    bytes_per_create: (readDatabaseSize(vault) - before) / (effort.creates * (effort.runs + 1)),
  }
}

type GrowthServer = { readonly port: number; readonly load: ChildProcess }

async function withServer<T>(
  { dataDir }: BenchVault,
  work: (served: GrowthServer) => Promise<T>,
): Promise<{ result: T; opened_ms: number }> {
  const load = startModule('load.ts')
  const coffer = startModule('coffer.ts', [dataDir])
  const { port, opened_ms } = await askChild<{ port: number; opened_ms: number }>(coffer)
  const result = await work({ port, load })
  await Promise.all([coffer, load].map(stopChild))
  return { result, opened_ms }
}

/**
 * Returns the request for page 10,000 of the list, or for the last full page of a smaller vault, by following the
 * pages.
 */
async function findFarPage({ keys, tokens }: BenchVault, port: number): Promise<string> {
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
  return formatRequest({ key: keys.mask, method: 'GET', path: `/v2/tokens?size=${PAGE}${start}` }, port)
}
