import type { ChildProcess } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import type { Busy } from './busy-probe.ts'
import type { Load, Measured } from './load.ts'
import { median } from './measure.ts'
import { otherTree } from './other-tree.ts'
import { ask, start, stop } from './processes.ts'
import { creates, gets } from './requests.ts'
import { root, serve, urlOf } from './start-up.ts'
import { ratio, table } from './table.ts'
import type { BenchVault } from './vault.ts'

type Order = {
  readonly revision: string
  readonly work: string
  readonly rounds: number
  readonly quick: boolean
  readonly only: string | undefined
  readonly say: (text: string) => void
}

/** One of the two compared commits, which serves a vault created by its own code. */
type Side = {
  readonly tree: string
  readonly vault: BenchVault
  readonly server: ChildProcess
  readonly port: number
}

const figures = ['per_second', 'p50', 'p99', 'p999', 'block', 'cpu'] as const
type Figure = (typeof figures)[number]
type Figures = Readonly<Record<Figure, number>>
type Ratio = { readonly median: number; readonly least: number; readonly most: number }

export type Compared = {
  readonly revision: string
  readonly rounds: number
  readonly rows: readonly {
    readonly name: string
    readonly ratios: Readonly<Record<Figure, Ratio>>
    /** The medians of the two commits, this one first. */
    readonly medians: readonly [Figures, Figures]
  }[]
  /** The largest write-ahead log during the run, in MB, this commit first. */
  readonly log_mb: readonly [number, number]
}

type Case = {
  readonly name: string
  readonly connections: number
  readonly requests: (side: Side) => readonly string[]
  /** The other requests that run at the same time. */
  readonly beside?: (side: Side) => readonly string[]
}

const reads = ({ vault, port }: Side) => gets(vault.samples, vault.keys.mask, port)
const revealing = ({ vault, port }: Side) => gets(vault.samples, vault.keys.reveal, port)
const writes = ({ vault, port }: Side) => creates(vault.keys, port)

const cases: readonly Case[] = [
  { name: 'create, 32', connections: 32, requests: writes },
  { name: 'create, 1', connections: 1, requests: writes },
  { name: 'read, 32', connections: 32, requests: reads },
  { name: 'read, 1', connections: 1, requests: reads },
  { name: 'read revealed, 32', connections: 32, requests: revealing },
  { name: 'read, 8, beside creates, 8', connections: 8, requests: reads, beside: writes },
]

/**
 * Measures this commit and another one over HTTP, with the same requests. They alternate, so that other load on the
 * machine affects both alike. Returns the ratios of each round.
 */
export async function compare({ revision, work, rounds, quick, only, say }: Order): Promise<Compared> {
  const chosen = cases.filter(({ name }) => name.startsWith(only ?? ''))
  if (chosen.length === 0)
    throw new Error(`No case begins with ${only}: ${cases.map(({ name }) => name).join('; ')}.`)
  say(`Building ${revision} …`)
  const other = otherTree(revision, work)
  const [load, beside] = [start('load.ts'), start('load.ts')]
  const sides = [
    await sideOf(root, path.join(work, 'this')),
    await sideOf(other, path.join(work, 'other')),
  ] as const
  const [warm_ms, run_ms] = quick ? [300, 500] : [2000, 3000]
  const log_mb: [number, number] = [0, 0]
  const rows: Compared['rows'][number][] = []
  try {
    for (const each of chosen) {
      say(`${each.name} …`)
      for (const side of sides) await once(each, side, load, beside, warm_ms)
      const measured: [Figures[], Figures[]] = [[], []]
      for (let round = 0; round < rounds; round++) {
        for (const at of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
          measured[at].push(await once(each, sides[at], load, beside, run_ms))
          log_mb[at] = Math.max(log_mb[at], logBytes(sides[at]) / 1e6)
        }
      }
      rows.push({ name: each.name, ...ratiosOf(measured) })
    }
  } finally {
    await Promise.all([load, beside, ...sides.map(({ server }) => server)].map(stop))
  }
  return { revision, rounds, rows, log_mb }
}

async function sideOf(tree: string, dataDir: string): Promise<Side> {
  // Its own code creates the vault: an older commit cannot open a newer one's.
  const { makeVault, fillVault } = (await import(
    path.join(tree, 'tests', 'bench', 'vault.ts')
  )) as typeof import('./vault.ts')
  const vault = await makeVault(dataDir)
  await fillVault(vault, 1000)
  const server = serve(vault, tree)
  return { tree, vault, server, port: Number(new URL(await urlOf(server)).port) }
}

async function once(
  { requests, connections, beside: others }: Case,
  side: Side,
  load: ChildProcess,
  beside: ChildProcess,
  ms: number,
): Promise<Figures> {
  const { server, port } = side
  await ask<Busy>(server, 'busy')
  const also =
    others && ask<Measured>(beside, { port, requests: others(side), connections, ms } satisfies Load)
  const measured = await ask<Measured>(load, {
    port,
    requests: requests(side),
    connections,
    ms,
  } satisfies Load)
  const answered = measured.requests + ((await also)?.requests ?? 0)
  const { block, cpu } = await ask<Busy>(server, 'busy')
  if (measured.failed > 0) throw new Error(`${measured.failed} requests failed.`)
  const { per_second, p50, p99, p999 } = measured
  return { per_second, p50, p99, p999, block, cpu: (1000 * cpu) / answered }
}

function logBytes({ vault }: Side): number {
  const log = path.join(vault.dataDir, 'default', 'vault.db-wal')
  return fs.statSync(log, { throwIfNoEntry: false })?.size ?? 0
}

function ratiosOf([mine, others]: readonly [readonly Figures[], readonly Figures[]]) {
  const each = <T>(give: (figure: Figure) => T) =>
    Object.fromEntries(figures.map((figure) => [figure, give(figure)])) as Record<Figure, T>
  const ratios = each((figure): Ratio => {
    const all = mine.map((figures, round) => figures[figure] / (others[round]?.[figure] || 1))
    return { median: median(all), least: Math.min(...all), most: Math.max(...all) }
  })
  const medianOf = (all: readonly Figures[]) => each((figure) => median(all.map((one) => one[figure])))
  return { ratios, medians: [medianOf(mine), medianOf(others)] as const }
}

/** Formats the ratios as a table, each with the minimum and maximum of its rounds. */
export function comparisonTable({ revision, rounds, rows, log_mb }: Compared): string {
  const names = ['requests/s', 'p50', 'p99', 'p99.9', 'longest block', 'processor a request']
  const lines = rows.map(({ name, ratios }) => [
    name,
    ...figures.map((figure) => {
      const { median, least, most } = ratios[figure]
      return `${ratio(median)} (${ratio(least)} – ${ratio(most)})`
    }),
  ])
  const absolute = rows.map(({ name, medians }) => [
    name,
    ...figures.map((figure) => medians.map((each) => shown(figure, each[figure])).join(' / ')),
  ])
  return [
    table([`this commit to ${revision}, ${rounds} rounds`, ...names], lines),
    table(
      [
        'this commit / that one',
        'requests/s',
        'p50 ms',
        'p99 ms',
        'p99.9 ms',
        'longest block ms',
        'processor µs',
      ],
      absolute,
    ),
    `Largest write-ahead log: ${log_mb.map((mb) => mb.toFixed(1)).join(' / ')} MB.`,
  ].join('\n\n')
}

function shown(figure: Figure, value: number): string {
  if (figure === 'per_second' || figure === 'cpu') return String(Math.round(value))
  return figure === 'block' ? value.toFixed(1) : (value / 1000).toFixed(2)
}
