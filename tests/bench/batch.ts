import type { Busy } from './busy-probe.ts'
import type { CofferQuestion } from './coffer.ts'
import type { Load, LoadResult } from './load.ts'
import { askChild, startModule, stopChild } from './processes.ts'
import { buildCreates, buildGets } from './requests.ts'
import type { BenchVault } from './vault.ts'

export type Batch = {
  readonly tokens: number
  /** Tokens created or re-encrypted per second without other callers. */
  readonly create_rate: number
  readonly rotate_rate: number
  /** Tokens per second while other callers send requests, and the latency of those in microseconds. */
  readonly while_called: {
    readonly create_rate: number
    readonly rotate_rate: number
    readonly others: readonly Other[]
  }
}

type Other = {
  readonly during: string
  readonly operation: string
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly max: number
  /** The longest block of the event loop, in ms. */
  readonly block: number
}

/** Creates and re-encrypts many tokens, alone and while four connections get and create. */
export async function measureBatch(vault: BenchVault, tokens: number): Promise<Batch> {
  const load = startModule('load.ts')
  const coffer = startModule('coffer.ts', [vault.dataDir])
  const { port } = await askChild<{ port: number }>(coffer)
  const runBatch = (what: 'create' | 'rotate') =>
    askChild<number>(coffer, { ask: what, tokens } satisfies CofferQuestion)
  const others: Other[] = []
  const runWhileCalled = async (what: 'create' | 'rotate', all: number) => {
    const rates: number[] = []
    for (const [operation, requests] of [
      ['GET', buildGets(vault.samples, vault.keys.mask, port)],
      ['POST', buildCreates(vault.keys, port)],
    ] as const) {
      // Connections that stay open until the batch is done.
      const each: Load = { port, connections: 4, ms: 600_000, requests }
      await askChild<Busy>(coffer, 'busy')
      const measured = askChild<LoadResult>(load, each)
      rates.push(all / (await runBatch(what)))
      load.send('end')
      const { p50, p99, p999, max } = await measured
      const { block } = await askChild<Busy>(coffer, 'busy')
      others.push({ during: what, operation, p50, p99, p999, max, block })
    }
    return Math.min(...rates)
  }
  const create_rate = tokens / (await runBatch('create'))
  // By now the vault has the tokens that were just created.
  const held = vault.tokens + tokens
  const rotate_rate = held / (await runBatch('rotate'))
  const while_called = {
    create_rate: await runWhileCalled('create', tokens),
    rotate_rate: await runWhileCalled('rotate', held + 2 * tokens),
    others,
  }
  await Promise.all([coffer, load].map(stopChild))
  return { tokens, create_rate, rotate_rate, while_called }
}
