import type { ChildProcess } from 'node:child_process'
import path from 'node:path'
import { readFileSize } from '../read-file-size.ts'
import type { Busy } from './busy-probe.ts'
import type { Load, LoadResult } from './load.ts'
import { computeMedian } from './measure.ts'
import { createOtherTree } from './other-tree.ts'
import { askChild, startModule, stopChild } from './processes.ts'
import { buildProxied } from './proxies.ts'
import { buildCreates, buildGets } from './requests.ts'
import { readUrl, root, startServe } from './start-up.ts'
import { formatRatio, formatTable } from './table.ts'
import type { BenchVault } from './vault.ts'

type ComparisonOptions = {
  readonly revision: string
  readonly work: string
  readonly rounds: number
  readonly quick: boolean
  readonly only: string | undefined
  readonly print: (text: string) => void
}

/** One of the two compared commits, which serves a vault created by its own code. */
type Side = {
  readonly tree: string
  readonly vault: BenchVault
  readonly server: ChildProcess
  readonly port: number
  /** The port of the destination of proxied calls. */
  readonly destination: number
}

const figures = ['per_second', 'p50', 'p99', 'p999', 'block', 'cpu'] as const
type Figure = (typeof figures)[number]
type Figures = Readonly<Record<Figure, number>>
type Ratio = { readonly median: number; readonly least: number; readonly most: number }

export type Comparison = {
  readonly revision: string
  readonly rounds: number
  readonly rows: readonly {
    readonly name: string
    readonly ratios: Readonly<Record<Figure, Ratio>>
    /** The medians of the two commits, this commit first. */
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
  readonly parallel?: (side: Side) => readonly string[]
}

const buildReads = ({ vault, port }: Side) => buildGets(vault.samples, vault.keys.mask, port)
const buildRevealingReads = ({ vault, port }: Side) => buildGets(vault.samples, vault.keys.reveal, port)
const buildWrites = ({ vault, port }: Side) => buildCreates(vault.keys, port)

const cases: readonly Case[] = [
  { name: 'create, 32', connections: 32, requests: buildWrites },
  { name: 'create, 1', connections: 1, requests: buildWrites },
  { name: 'read, 32', connections: 32, requests: buildReads },
  { name: 'read, 1', connections: 1, requests: buildReads },
  { name: 'read revealed, 1', connections: 1, requests: buildRevealingReads },
  { name: 'read revealed, 32', connections: 32, requests: buildRevealingReads },
  {
    name: 'proxied, two expressions, 32',
    connections: 32,
    requests: ({ vault, port, destination }) => buildProxied(vault, port, destination, 'two expressions'),
  },
  {
    name: 'proxied, none, 32',
    connections: 32,
    requests: ({ vault, port, destination }) => buildProxied(vault, port, destination, 'none'),
  },
  { name: 'read, 8, beside creates, 8', connections: 8, requests: buildReads, parallel: buildWrites },
]

/**
 * Measures this commit and another one over HTTP, with the same requests. They alternate, so that other load on the
 * machine affects both alike. Returns the ratios of each round.
 */
export async function compareRevisions({
  revision,
  work,
  rounds,
  quick,
  only,
  print,
}: ComparisonOptions): Promise<Comparison> {
  const chosen = cases.filter(({ name }) => name.startsWith(only ?? ''))
  if (chosen.length === 0)
    throw new Error(`No case begins with ${only}: ${cases.map(({ name }) => name).join('; ')}.`)
  print(`Building ${revision} …`)
  const other = createOtherTree(revision, work)
  const [load, parallel] = [startModule('load.ts'), startModule('load.ts')]
  const bare = startModule('proxied.ts', ['bare'])
  const destination = await askChild<number>(bare)
  const sides = [
    await startSide(root, path.join(work, 'this'), destination),
    await startSide(other, path.join(work, 'other'), destination),
  ] as const
  const [warm_ms, run_ms] = quick ? [300, 500] : [2000, 3000]
  const log_mb: [number, number] = [0, 0]
  const rows: Comparison['rows'][number][] = []
  try {
    for (const each of chosen) {
      print(`${each.name} …`)
      for (const side of sides) await measureOnce(each, side, load, parallel, warm_ms)
      const measured: [Figures[], Figures[]] = [[], []]
      for (let round = 0; round < rounds; round++) {
        for (const at of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
          measured[at].push(await measureOnce(each, sides[at], load, parallel, run_ms))
          log_mb[at] = Math.max(log_mb[at], readLogSize(sides[at]) / 1e6)
        }
      }
      rows.push({ name: each.name, ...computeRatios(measured) })
    }
  } finally {
    await Promise.all([load, parallel, bare, ...sides.map(({ server }) => server)].map(stopChild))
  }
  return { revision, rounds, rows, log_mb }
}

async function startSide(tree: string, dataDir: string, destination: number): Promise<Side> {
  // Its own code creates the vault: an older commit cannot open a newer one's.
  const { makeVault, fillVault } = (await import(
    path.join(tree, 'tests', 'bench', 'vault.ts')
  )) as typeof import('./vault.ts')
  const vault = await makeVault(dataDir)
  await fillVault(vault, 1000)
  const server = startServe(vault, tree)
  return { tree, vault, server, port: Number(new URL(await readUrl(server)).port), destination }
}

async function measureOnce(
  { requests, connections, parallel: others }: Case,
  side: Side,
  load: ChildProcess,
  parallel: ChildProcess,
  ms: number,
): Promise<Figures> {
  const { server, port } = side
  await askChild<Busy>(server, 'busy')
  const also =
    others && askChild<LoadResult>(parallel, { port, requests: others(side), connections, ms } satisfies Load)
  const measured = await askChild<LoadResult>(load, {
    port,
    requests: requests(side),
    connections,
    ms,
  } satisfies Load)
  const answered = measured.requests + ((await also)?.requests ?? 0)
  const { block, cpu } = await askChild<Busy>(server, 'busy')
  if (measured.failed > 0) throw new Error(`${measured.failed} requests failed.`)
  const { per_second, p50, p99, p999 } = measured
  return { per_second, p50, p99, p999, block, cpu: (1000 * cpu) / answered }
}

function readLogSize({ vault }: Side): number {
  return readFileSize(path.join(vault.dataDir, 'default', 'vault.db-wal'))
}

function computeRatios([current, others]: readonly [readonly Figures[], readonly Figures[]]) {
  const mapFigures = <T>(compute: (figure: Figure) => T) =>
    Object.fromEntries(figures.map((figure) => [figure, compute(figure)])) as Record<Figure, T>
  const ratios = mapFigures((figure): Ratio => {
    const all = current.map((figures, round) => figures[figure] / (others[round]?.[figure] || 1))
    return { median: computeMedian(all), least: Math.min(...all), most: Math.max(...all) }
  })
  const computeMedians = (all: readonly Figures[]) =>
    mapFigures((figure) => computeMedian(all.map((one) => one[figure])))
  return { ratios, medians: [computeMedians(current), computeMedians(others)] as const }
}

/** Formats the ratios as a table, each with the minimum and maximum of its rounds. */
export function formatComparison({ revision, rounds, rows, log_mb }: Comparison): string {
  const names = ['requests/s', 'p50', 'p99', 'p99.9', 'longest block', 'processor a request']
  const lines = rows.map(({ name, ratios }) => [
    name,
    ...figures.map((figure) => {
      const { median, least, most } = ratios[figure]
      return `${formatRatio(median)} (${formatRatio(least)} – ${formatRatio(most)})`
    }),
  ])
  const absolute = rows.map(({ name, medians }) => [
    name,
    ...figures.map((figure) => medians.map((each) => formatFigure(figure, each[figure])).join(' / ')),
  ])
  return [
    formatTable([`this commit to ${revision}, ${rounds} rounds`, ...names], lines),
    formatTable(
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

function formatFigure(figure: Figure, value: number): string {
  if (figure === 'per_second' || figure === 'cpu') return String(Math.round(value))
  return figure === 'block' ? value.toFixed(1) : (value / 1000).toFixed(2)
}
