import type { ChildProcess } from 'node:child_process'
import type { Busy } from './busy-probe.ts'
import type { Load, LoadResult } from './load.ts'
import { askChild } from './processes.ts'

/** The duration of each measurement. */
export type Effort = {
  readonly warm_ms: number
  readonly run_ms: number
  readonly runs: number
  /** The number of creates in a run that must add few tokens to the vault. */
  readonly creates: number
}

/** The medians of several runs. `spread` has the minimum and maximum requests per second. */
export type Summary = {
  readonly per_second: number
  readonly spread: readonly [least: number, maxRequests: number]
  readonly p50: number
  readonly p99: number
  readonly p999: number
  /** The longest block of the server's event loop in any of the runs, in ms; absent for other servers. */
  readonly block?: number
  readonly failed: number
}

export type BenchTarget = {
  readonly name: string
  readonly port: number
  readonly requests: readonly string[]
  /** The server process, if it can report how busy it was. */
  readonly server?: ChildProcess
}

type MeasuredRun = LoadResult & Partial<Busy>

export function computeMedian(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** The median of several durations, and the longest. */
export type Times = { readonly p50: number; readonly worst: number }

export function summarizeTimes(durations: readonly number[]): Times {
  const sorted = [...durations].sort((a, b) => a - b)
  return { p50: computeMedian(sorted), worst: sorted.at(-1) ?? 0 }
}

function summarizeRuns(runs: readonly MeasuredRun[]): Summary {
  const blocks = runs.flatMap(({ block }) => block ?? [])
  const rates = runs.map((run) => run.per_second)
  return {
    per_second: computeMedian(rates),
    spread: [Math.min(...rates), Math.max(...rates)],
    p50: computeMedian(runs.map((run) => run.p50)),
    p99: computeMedian(runs.map((run) => run.p99)),
    p999: computeMedian(runs.map((run) => run.p999)),
    ...(blocks.length > 0 && { block: Math.max(...blocks) }),
    failed: runs.reduce((total, run) => total + run.failed, 0),
  }
}

/**
 * Warms every target up, then measures them in alternation, so that other load on the machine affects all of them
 * alike.
 */
export async function measureTargets(
  load: ChildProcess,
  targets: readonly BenchTarget[],
  connections: number,
  { warm_ms, run_ms, runs }: Effort,
  maxRequests?: number,
): Promise<Map<string, Summary>> {
  const measureOnce = async ({ port, requests, server }: BenchTarget, ms: number): Promise<MeasuredRun> => {
    if (server) await askChild<Busy>(server, 'busy')
    const order: Load = {
      port,
      requests,
      connections,
      ms,
      ...(maxRequests !== undefined && { max_requests: maxRequests }),
    }
    const measured = await askChild<LoadResult>(load, order)
    return server ? { ...measured, ...(await askChild<Busy>(server, 'busy')) } : measured
  }
  for (const target of targets) await measureOnce(target, warm_ms)
  const measured = new Map(targets.map(({ name }) => [name, [] as MeasuredRun[]]))
  for (let round = 0; round < runs; round++) {
    for (const target of targets) measured.get(target.name)?.push(await measureOnce(target, run_ms))
  }
  return new Map([...measured].map(([name, all]) => [name, summarizeRuns(all)]))
}
