import { owner } from '../../electron/engine/door/call.ts'
import type { Load, Measured } from './load.ts'
import { type Effort, median } from './measure.ts'
import { ask, start, stop } from './processes.ts'
import { creates } from './requests.ts'
import { serve, urlOf } from './start-up.ts'
import { type BenchVault, changeVault } from './vault.ts'

/** Creates at a fixed rate, without webhooks and with two; latencies in microseconds. */
export type Webhooks = {
  readonly per_second: number
  readonly without: Latencies
  readonly with_two: Latencies
  /** Deliveries a second to both webhooks, beside the creates. */
  readonly delivered: number
}
type Latencies = { readonly p50: number; readonly p99: number }

const CONNECTIONS = 32

/** 1,000 creates a second, while two webhooks are told of each, beside the same without. */
export async function measureWebhooks(
  without: BenchVault,
  withTwo: BenchVault,
  { warm_ms, run_ms, runs }: Effort,
  per_second = 1000,
): Promise<Webhooks> {
  const load = start('load.ts')
  const target = start('proxied.ts', ['bare'])
  const port = await ask<number>(target)
  await changeVault(withTwo, async (engine) => {
    for (const name of ['a', 'b']) {
      const url = `http://127.0.0.1:${port}/${name}`
      await engine.as(owner).webhooks.create({ name, url, events: ['token.created'] })
    }
  })
  const measured = { without: [] as Measured[], withTwo: [] as Measured[] }
  const vaults = { without, withTwo }
  for (let run = 0; run < runs; run++) {
    for (const name of ['without', 'withTwo'] as const) {
      const coffer = serve(vaults[name])
      const port = Number(new URL(await urlOf(coffer)).port)
      const requests = creates(vaults[name].keys, port)
      const once = (ms: number) =>
        ask<Measured>(load, { port, requests, connections: CONNECTIONS, ms, per_second } satisfies Load)
      await once(warm_ms)
      measured[name].push(await once(run_ms))
      await stop(coffer)
    }
  }
  await Promise.all([load, target].map(stop))
  const latencies = (all: readonly Measured[]) => ({
    p50: median(all.map(({ p50 }) => p50)),
    p99: median(all.map(({ p99 }) => p99)),
  })
  return {
    per_second: median(measured.withTwo.map((each) => each.per_second)),
    without: latencies(measured.without),
    with_two: latencies(measured.withTwo),
    delivered: 0,
  }
}
