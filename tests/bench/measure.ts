import type { ChildProcess } from 'node:child_process'
import type { Busy } from './busy-probe.ts'
import type { Load, Measured } from './load.ts'
import { ask } from './processes.ts'

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
  readonly spread: readonly [least: number, most: number]
  readonly p50: number
  readonly p99: number
  readonly p999: number
  /** The longest block of the server's event loop in any of the runs, in ms; absent for other servers. */
  readonly block?: number
  readonly failed: number
}

export type Target = {
  readonly name: string
  readonly port: number
  readonly requests: readonly string[]
  /** The server process, if it can report how busy it was. */
  readonly server?: ChildProcess
}

type Run = Measured & Partial<Busy>

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

function summaryOf(runs: readonly Run[]): Summary {
  const blocks = runs.flatMap(({ block }) => block ?? [])
  const rates = runs.map((run) => run.per_second)
  return {
    per_second: median(rates),
    spread: [Math.min(...rates), Math.max(...rates)],
    p50: median(runs.map((run) => run.p50)),
    p99: median(runs.map((run) => run.p99)),
    p999: median(runs.map((run) => run.p999)),
    ...(blocks.length > 0 && { block: Math.max(...blocks) }),
    failed: runs.reduce((total, run) => total + run.failed, 0),
  }
}

/**
 * Warms every target up, then measures them in alternation, so that other load on the machine affects all of them
 * alike.
 */
export async function measure(
  load: ChildProcess,
  targets: readonly Target[],
  connections: number,
  { warm_ms, run_ms, runs }: Effort,
  most?: number,
): Promise<Map<string, Summary>> {
  const once = async ({ port, requests, server }: Target, ms: number): Promise<Run> => {
    if (server) await ask<Busy>(server, 'busy')
    const order: Load = { port, requests, connections, ms, ...(most !== undefined && { most }) }
    const measured = await ask<Measured>(load, order)
    return server ? { ...measured, ...(await ask<Busy>(server, 'busy')) } : measured
  }
  for (const target of targets) await once(target, warm_ms)
  const measured = new Map(targets.map(({ name }) => [name, [] as Run[]]))
  for (let round = 0; round < runs; round++) {
    for (const target of targets) measured.get(target.name)?.push(await once(target, run_ms))
  }
  return new Map([...measured].map(([name, all]) => [name, summaryOf(all)]))
}
