import { setTimeout as wait } from 'node:timers/promises'
import { owner } from '../../electron/engine/pipeline/call.ts'
import type { Busy } from './busy-probe.ts'
import type { Load, LoadResult } from './load.ts'
import { computeMedian, type Effort } from './measure.ts'
import { askChild, startModule, stopChild } from './processes.ts'
import { buildCreates } from './requests.ts'
import { readUrl, startServe } from './start-up.ts'
import { type BenchVault, changeVault } from './vault.ts'

/** Creates at a fixed rate, without webhooks and with two; latencies in microseconds. */
export type Webhooks = {
  readonly rows: readonly {
    readonly webhooks: number
    readonly per_second: number
    readonly p50: number
    readonly p99: number
    readonly p999: number
    /** The longest block of the event loop in any of the runs, in ms. */
    readonly block: number
  }[]
  /** Deliveries per second while the creates run, and of the events that they left, without other calls. */
  readonly delivered: number
  readonly drained: number
}

const CONNECTIONS = 32
const RATE = 1000

/** Measures 1,000 creates per second with two webhooks that receive each event, compared with none. */
export async function measureWebhooks(
  without: BenchVault,
  withTwo: BenchVault,
  { warm_ms, run_ms, runs }: Effort,
): Promise<Webhooks> {
  const load = startModule('load.ts')
  const target = startModule('proxied.ts', ['bare'])
  const port = await askChild<number>(target)
  await changeVault(withTwo, async (engine) => {
    for (const name of ['a', 'b']) {
      const url = `http://127.0.0.1:${port}/${name}`
      await engine.as(owner).webhooks.create({ name, url, events: ['token.created'] })
    }
  })
  const measured: (LoadResult & Busy)[][] = [[], []]
  const rates: number[] = []
  for (let run = 0; run < runs; run++) {
    for (const [at, vault] of [without, withTwo].entries()) {
      const coffer = startServe(vault)
      const port = Number(new URL(await readUrl(coffer)).port)
      const requests = buildCreates(vault.keys, port)
      const runCreates = (ms: number) =>
        askChild<LoadResult>(load, {
          port,
          requests,
          connections: CONNECTIONS,
          ms,
          per_second: RATE,
        } satisfies Load)
      await runCreates(warm_ms)
      await askChild<Busy>(coffer, 'busy')
      await askChild<number>(target, 'count')
      const started = performance.now()
      const answered = await runCreates(run_ms)
      measured[at]?.push({ ...answered, ...(await askChild<Busy>(coffer, 'busy')) })
      const delivered = await askChild<number>(target, 'count')
      if (vault === withTwo) rates.push((delivered * 1000) / (performance.now() - started))
      await stopChild(coffer)
    }
  }
  const idle = startServe(withTwo)
  await readUrl(idle)
  await wait(warm_ms)
  await askChild<number>(target, 'count')
  const started = performance.now()
  await wait(run_ms)
  const drained = ((await askChild<number>(target, 'count')) * 1000) / (performance.now() - started)
  await Promise.all([load, target, idle].map(stopChild))
  return {
    drained,
    rows: measured.map((all, at) => ({
      webhooks: 2 * at,
      per_second: computeMedian(all.map(({ per_second }) => per_second)),
      p50: computeMedian(all.map(({ p50 }) => p50)),
      p99: computeMedian(all.map(({ p99 }) => p99)),
      p999: computeMedian(all.map(({ p999 }) => p999)),
      block: Math.max(...all.map(({ block }) => block)),
    })),
    delivered: computeMedian(rates),
  }
}
