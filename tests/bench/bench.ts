import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { compareRevisions, formatComparison } from './against.ts'
import { type Batch, measureBatch } from './batch.ts'
import { type Block, measureBlocks } from './blocks.ts'
import { type Commands, measureCommands } from './commands.ts'
import { measureCommit } from './commit.ts'
import { type Elements, measureElements } from './elements.ts'
import { type Finds, measureFinds } from './finds.ts'
import { type GrowthSize, measureGrowth } from './growth.ts'
import { type Imports, measureImports } from './imports.ts'
import type { Effort, Summary } from './measure.ts'
import { renderPlot } from './plot.ts'
import { measureProxies, type Proxies } from './proxies.ts'
import { measureReactors, type Reactors } from './reactors.ts'
import { type Memory, measureMemory, measureStartUp, REST_S, type StartUp } from './start-up.ts'
import { formatCount, formatMs, formatRatio, formatTable } from './table.ts'
import { measureThroughput, type Throughput, type ThroughputRow } from './throughput.ts'
import { measureVaried, type VariedSize } from './varied.ts'
import { fillVault, makeVault } from './vault.ts'
import { measureWebhooks, type Webhooks } from './webhooks.ts'

const parts = [
  ...['throughput', 'proxies', 'webhooks', 'reactors', 'elements', 'batch', 'import', 'growth', 'varied'],
  ...['start', 'blocks', 'find'],
]

const help = `npm run bench -- [--quick] [--json] [--only <part>] [--tokens <sizes>] [--plots]
npm run bench -- --against <revision> [--only <name>] [--rounds <n>] [--json]

Measures Coffer beside a bare node:http server, json-server and prism, on this machine.

  --quick   under a minute, in small vaults; the figures mean little
  --json    one JSON object instead of tables
  --only    one of ${parts.join(', ')}
  --tokens  the sizes for growth and varied, as in 1000,10000
  --plots   write docs/images/performance-*.svg

  --against builds another commit in a temporary folder and measures both in turns; prints ratios, this commit to
            that one: the median of the rounds, and their least and most. --only takes the beginning of a name.`

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    tokens: { type: 'string' },
    plots: { type: 'boolean', default: false },
    against: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    help: { type: 'boolean', default: false },
  },
})
if (options.help) {
  console.log(help)
  process.exit()
}

if (options.against === undefined && options.only !== undefined && !parts.includes(options.only)) {
  console.error(`--only takes one of ${parts.join(', ')}.`)
  process.exit(2)
}

const { quick } = options
const effort: Effort = quick
  ? { warm_ms: 250, run_ms: 100, runs: 5, creates: 30 }
  : { warm_ms: 4000, run_ms: 2000, runs: 5, creates: 300 }
const growthEffort: Effort = quick
  ? { ...effort, warm_ms: 100, run_ms: 60 }
  : { ...effort, warm_ms: 1000, run_ms: 600 }
const levels = quick ? [] : [1, 2, 4, 8, 16, 32, 64, 128]
const usualSizes = quick ? [1000, 5000] : [1000, 10_000, 100_000, 1_000_000]
const sizes = options.tokens === undefined ? usualSizes : parseNumbers('--tokens', options.tokens)
const batch = quick ? 5000 : 100_000

/** All results of a run; a part that was not requested is absent. */
type Report = {
  readonly machine: Record<string, string | number>
  throughput?: Throughput & { commit_us: number }
  proxies?: Proxies
  webhooks?: Webhooks
  reactors?: Reactors
  elements?: Elements
  batch?: Batch
  imports?: Imports
  growth?: { sizes: GrowthSize[]; memory: Memory }
  varied?: { sizes: VariedSize[]; memory: Memory }
  start?: StartUp
  commands?: Commands
  blocks?: Block[]
  finds?: Finds
}

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-bench-'))
process.on('exit', () => fs.rmSync(work, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const print = (text: string) => process.stderr.write(`${text}\n`)
const isWanted = (part: string) => options.only === undefined || options.only === part
const createFilledVault = async (name: string, tokens: number) => {
  const vault = await makeVault(path.join(work, name))
  if (tokens > 0) await fillVault(vault, tokens)
  return vault
}

if (options.against !== undefined) {
  const { quick, only, against: revision } = options
  const [rounds = 5] = parseNumbers('--rounds', options.rounds)
  const compared = await compareRevisions({ revision, work, rounds, quick, only, print })
  console.log(options.json ? JSON.stringify(compared, null, 2) : formatComparison(compared))
  process.exit()
}

const report: Report = {
  machine: {
    cpu: os.cpus()[0]?.model ?? 'unknown',
    cores: os.cpus().length,
    memory_gb: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release()}`,
    node: process.version,
    load: os
      .loadavg()
      .map((each) => each.toFixed(2))
      .join(' '),
  },
}
if (isWanted('throughput')) {
  print('Throughput …')
  const commit_us = measureCommit(work, quick ? 100 : 1000)
  const throughput = await measureThroughput(
    await createFilledVault('throughput', 1000),
    effort,
    levels,
    work,
  )
  report.throughput = { ...throughput, commit_us }
}
if (isWanted('proxies')) {
  print('Proxies …')
  report.proxies = await measureProxies(await createFilledVault('proxies', 1000), effort)
}
if (isWanted('webhooks')) {
  print('Webhooks …')
  const [without, withTwo] = [
    await createFilledVault('without', 1000),
    await createFilledVault('webhooks', 1000),
  ]
  report.webhooks = await measureWebhooks(without, withTwo, effort)
}
if (isWanted('reactors')) {
  print('Reactors …')
  report.reactors = await measureReactors(quick ? 100 : 1000, await createFilledVault('reactors', 0))
}
if (isWanted('elements')) {
  print('Elements …')
  report.elements = await measureElements(quick ? 3 : 20)
}
if (isWanted('start')) {
  print('Start …')
  report.start = await measureStartUp(await createFilledVault('start', 1000), quick ? 3 : 9)
  report.commands = await measureCommands(quick ? 3 : 20)
}
if (isWanted('batch')) {
  print('Batch work …')
  report.batch = await measureBatch(await createFilledVault('batch', 1000), batch)
}
if (isWanted('import')) {
  print('Imports …')
  report.imports = await measureImports(path.join(work, 'imports'), quick ? 2000 : 100_000, quick ? 1 : 3)
}
if (isWanted('blocks')) {
  print('Longest blocks …')
  report.blocks = await measureBlocks(path.join(work, 'blocks'), quick ? 10_000 : 100_000, print)
}
if (isWanted('find')) {
  print('Finding …')
  report.finds = await measureFinds(await createFilledVault('find', 0), quick ? 20_000 : 1_000_000)
}
if (isWanted('growth')) {
  print('Growth …')
  const vault = await createFilledVault('growth', 0)
  const measured = await measureGrowth(vault, sizes, growthEffort, print)
  report.growth = { sizes: measured, memory: await measureMemory(vault, quick ? 100 : 2000) }
}
if (isWanted('varied')) {
  print('Access and searches …')
  const vault = await createFilledVault('varied', 0)
  const { sizes: measured, keys } = await measureVaried(vault, sizes, growthEffort, print)
  report.varied = { sizes: measured, memory: await measureMemory(vault, quick ? 500 : 2000, keys) }
}
if (options.json) console.log(JSON.stringify(report, null, 2))
else console.log(formatReport(report).join('\n\n'))
if (options.plots) writePlots(report)
process.exit()

function formatReport({
  machine,
  throughput,
  proxies,
  webhooks,
  reactors,
  elements,
  start,
  commands,
  batch,
  imports,
  growth,
  varied,
  blocks,
  finds,
}: Report): string[] {
  const parts = [
    Object.entries(machine)
      .map(([name, value]) => `${name}: ${value}`)
      .join(' · '),
  ]
  if (throughput) {
    parts.push(formatThroughput(throughput.rows))
    if (!throughput.peers) parts.push('json-server and prism could not be fetched; their rows are left out.')
    parts.push(
      `At 32 connections, ${throughput.per_commit.toFixed(1)} creates shared a commit on average. A token, its log record and a commit alone take ${formatMs(throughput.commit_us)} ms.`,
    )
  }
  if (proxies) parts.push(...formatProxies(proxies))
  if (webhooks) parts.push(...formatWebhooks(webhooks))
  if (reactors) {
    parts.push(
      formatTable(
        ['Code of a reactor, 1 kB', 'p50 ms', 'slowest ms'],
        [
          ['called in process', formatMs(reactors.in_process.p50), formatMs(reactors.in_process.worst)],
          ['call, with a process at hand', formatMs(reactors.warm.p50), formatMs(reactors.warm.worst)],
          ['first call of a reactor, the same', formatMs(reactors.first.p50), formatMs(reactors.first.worst)],
          [
            '… created just before, over HTTP',
            formatMs(reactors.created.p50),
            formatMs(reactors.created.worst),
          ],
          ['calls one after another', formatMs(reactors.burst.p50), formatMs(reactors.burst.worst)],
          ['100 calls a second', formatMs(reactors.steady.p50), formatMs(reactors.steady.worst)],
          ['call without any process', formatMs(reactors.cold.p50), formatMs(reactors.cold.worst)],
          [
            'bare Node, started and ended',
            formatMs(reactors.bare_node.p50),
            formatMs(reactors.bare_node.worst),
          ],
        ],
      ),
      `Eight processes that run code at a time take ${reactors.memory_mb} MiB of resident memory.`,
    )
  }
  if (elements) {
    const toRow = (name: string, { p50, worst }: Elements['ready']) => [
      name,
      p50.toFixed(1),
      worst.toFixed(1),
    ]
    parts.push(
      formatTable(
        ['Elements in a page', 'p50 ms', 'slowest ms'],
        [
          toRow('a bare frame with an input', elements.bare_frame),
          toRow('a card element, from asking for the script', elements.ready),
          toRow('change event of a keystroke', elements.change),
        ],
      ),
    )
  }
  if (start) {
    const { first_answer_ms, passphrase_ms } = start
    parts.push(
      `\`coffer serve\` on an existing vault, first answer: ${formatCount(first_answer_ms)} ms. Deriving the key from the passphrase alone takes ${formatCount(passphrase_ms)} ms, and the listener is loaded meanwhile.`,
    )
  }
  if (commands) {
    const { bare_node, version, help, start_coffer, reset } = commands
    parts.push(
      `Processor time of a process: bare Node ${formatCount(bare_node)} ms, \`coffer --version\` ${formatCount(version)} ms, \`coffer --help\` ${formatCount(help)} ms. In a warm process, \`startCoffer()\` takes ${formatCount(start_coffer)} ms and \`reset()\` ${formatCount(reset)} ms.`,
    )
  }
  if (batch) parts.push(...formatBatch(batch))
  if (imports) parts.push(...formatImports(imports))
  if (blocks) parts.push(formatBlocks(blocks))
  if (finds) parts.push(...formatFinds(finds))
  if (growth) {
    parts.push(formatGrowth(growth.sizes), formatMemory(growth.memory))
  }
  if (varied) parts.push(formatVaried(varied.sizes), formatMemory(varied.memory))
  return parts
}

function formatThroughput(rows: readonly ThroughputRow[]): string {
  const findBareRow = ({ operation, connections }: ThroughputRow) =>
    rows.find(
      (row) =>
        row.operation === `bare ${operation.includes('GET') ? 'GET' : 'POST'}` &&
        row.connections === connections,
    )
  return formatTable(
    [
      'operation',
      'connections',
      'requests/s',
      'spread',
      'of bare',
      'p50 ms',
      'p99 ms',
      'p99.9 ms',
      'longest block ms',
      'failed',
    ],
    rows.map((row) => [
      row.operation,
      String(row.connections),
      formatCount(row.per_second),
      row.spread.map(formatCount).join(' – '),
      formatRatio(row.per_second / (findBareRow(row)?.per_second ?? row.per_second)),
      formatMs(row.p50),
      formatMs(row.p99),
      formatMs(row.p999),
      formatBlock(row),
      String(row.failed),
    ]),
  )
}

function formatBlock({ block }: Summary): string {
  return block === undefined ? '' : block.toFixed(1)
}

function formatProxies({ rows, peak_mb }: Proxies): string[] {
  const reverse = rows.find(({ operation }) => operation === 'http-proxy')
  const parts = [
    formatTable(
      [
        'POST of 1 kB, 32 connections',
        'requests/s',
        'spread',
        'of http-proxy',
        'p50 ms',
        'p99 ms',
        'p99.9 ms',
        'longest block ms',
        'failed',
      ],
      rows.map((row) => [
        row.operation,
        formatCount(row.per_second),
        row.spread.map(formatCount).join(' – '),
        formatRatio(row.per_second / (reverse?.per_second ?? row.per_second)),
        formatMs(row.p50),
        formatMs(row.p99),
        formatMs(row.p999),
        formatBlock(row),
        String(row.failed),
      ]),
    ),
  ]
  if (peak_mb) {
    const { before, up, down } = peak_mb
    parts.push(
      `Peak memory of \`coffer serve\`, 25 MiB at a time over 8 connections: ${up} MB for 24 up, ${down} MB for 24 down; ${before} MB while the passphrase was checked.`,
    )
  }
  return parts
}

function formatWebhooks({ rows, delivered, drained }: Webhooks): string[] {
  const [first] = rows
  return [
    formatTable(
      [
        '1,000 creates a second',
        'creates/s',
        'p50 ms',
        'p99 ms',
        'p99.9 ms',
        'longest block ms',
        'p99 of none',
      ],
      rows.map(({ webhooks, per_second, p50, p99, p999, block }) => [
        webhooks === 0 ? 'no webhook' : `${webhooks} webhooks`,
        formatCount(per_second),
        formatMs(p50),
        formatMs(p99),
        formatMs(p999),
        block.toFixed(1),
        formatRatio(p99 / (first?.p99 ?? p99)),
      ]),
    ),
    `Beside them, ${formatCount(delivered)} deliveries a second; afterwards, without other calls, ${formatCount(drained)}.`,
  ]
}

function formatBatch({ tokens, create_rate, rotate_rate, while_called }: Batch): string[] {
  return [
    formatTable(
      [`${formatCount(tokens)} tokens`, 'tokens/s alone', 'tokens/s beside other calls'],
      [
        ['create', formatCount(create_rate), formatCount(while_called.create_rate)],
        ['change the data key', formatCount(rotate_rate), formatCount(while_called.rotate_rate)],
      ],
    ),
    formatTable(
      [
        'other calls, 4 connections',
        'during',
        'p50 ms',
        'p99 ms',
        'p99.9 ms',
        'longest ms',
        'longest block ms',
      ],
      while_called.others.map(({ during, operation, p50, p99, p999, max, block }) => [
        operation,
        during,
        formatMs(p50),
        formatMs(p99),
        formatMs(p999),
        formatMs(max),
        block.toFixed(1),
      ]),
    ),
  ]
}

function formatImports({ lines, command, seed, window }: Imports): string[] {
  const { preview_s, check_s, import_s, check_cpu_us, import_cpu_us } = window
  return [
    formatTable(
      [`\`coffer import\`, ${formatCount(lines)} lines`, 'lines/s', 'processor µs a line'],
      command.map(({ what, per_second, cpu_us }) => [what, formatCount(per_second), cpu_us.toFixed(1)]),
    ),
    `A seed of as many generated cards: ${seed.seconds.toFixed(2)} s, ${seed.cpu_us.toFixed(1)} µs of processor time a card.`,
    formatTable(
      [`${formatCount(lines)} rows in the window`, 'seconds', 'processor µs a row'],
      [
        ['preview of a sample', preview_s.toFixed(2), ''],
        ['check', check_s.toFixed(2), check_cpu_us.toFixed(1)],
        ['import', import_s.toFixed(2), import_cpu_us.toFixed(1)],
      ],
    ),
  ]
}

function formatBlocks(blocks: readonly Block[]): string {
  return formatTable(
    ['one request at a time', 'longest block ms', 'status', 'bytes', 'resident MB'],
    blocks.map(({ what, block, status, bytes, rss_mb }) => [
      what,
      block.toFixed(1),
      String(status),
      formatCount(bytes),
      String(rss_mb),
    ]),
  )
}

function formatFinds({ tokens, create_rate, of_create, index_seconds, rows }: Finds): string[] {
  return [
    formatTable(
      [`Finding in ${formatCount(tokens)} tokens`, 'found', 'first ms', 'p50 ms', 'slowest ms'],
      rows.map(({ what, found, first, p50, worst }) => [
        what,
        formatCount(found),
        first.toFixed(1),
        p50.toFixed(1),
        worst.toFixed(1),
      ]),
    ),
    `${formatCount(create_rate)} tokens a second were created while the index was written; its rest took ${index_seconds.toFixed(1)} s, ${formatRatio(of_create)} of the time in all.`,
  ]
}

function formatGrowth(measured: readonly GrowthSize[]): string {
  const operations = Object.keys(measured[0]?.p50 ?? {})
  const [first, last] = [measured[0], measured.at(-1)]
  return formatTable(
    ['p50 ms, one connection', ...measured.map(({ tokens }) => formatCount(tokens)), 'last to first'],
    [
      ...operations.map((name) => [
        name,
        ...measured.map(({ p50 }) => formatMs(p50[name] ?? 0)),
        formatRatio((last?.p50[name] ?? 0) / (first?.p50[name] ?? 1)),
      ]),
      ['opening to first answer', ...measured.map((size) => size.opened_ms.toFixed(1)), ''],
      ['bytes of file per token', ...measured.map((size) => formatCount(size.bytes_per_token)), ''],
      ['… over HTTP, with its log record', ...measured.map((size) => formatCount(size.bytes_per_create)), ''],
    ],
  )
}

function formatVaried(measured: readonly VariedSize[]): string {
  const [first, last] = [measured[0], measured.at(-1)]
  return formatTable(
    ['processor time, ms', ...measured.map(({ tokens }) => formatCount(tokens)), 'last to first'],
    Object.keys(first?.cpu ?? {}).map((name) => [
      name,
      ...measured.map(({ cpu }) => (cpu[name] ?? 0).toFixed(2)),
      formatRatio((last?.cpu[name] ?? 0) / (first?.cpu[name] ?? 1)),
    ]),
  )
}

function formatMemory({ idle, used, rested }: Memory): string {
  return `Resident memory of \`coffer serve\` on the largest vault: ${formatMb(idle)} at first, ${formatMb(used)} after everything was asked for, ${formatMb(rested)} when it had rested for ${REST_S} seconds.`
}

/** Parses an option's comma-separated numbers and sorts them. Exits with an error if a part is not a whole number. */
function parseNumbers(option: string, text: string): number[] {
  const parts = text.split(',')
  if (parts.every((each) => /^[1-9]\d{0,8}$/.test(each))) return parts.map(Number).sort((a, b) => a - b)
  console.error(`${option} takes whole numbers, as in 1000,10000.`)
  process.exit(2)
}

function formatMb(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}

function writePlots({ throughput, growth }: Report): void {
  const folder = path.join(import.meta.dirname, '..', '..', 'docs', 'images')
  fs.mkdirSync(folder, { recursive: true })
  if (throughput && levels.length > 0) {
    const lines = throughput.curves
    fs.writeFileSync(
      path.join(folder, 'performance-connections.svg'),
      renderPlot({ title: 'Requests a second', x: 'connections', y: 'requests/s', lines }),
    )
  }
  if (growth) {
    const plotted = [
      'get, masked',
      'list, first page',
      'list, far page',
      'list by type',
      'search by data',
      'create',
    ]
    const lines = plotted.map((name) => ({
      name,
      points: growth.sizes.map(({ tokens, p50 }) => [tokens, (p50[name] ?? 0) / 1000] as const),
    }))
    fs.writeFileSync(
      path.join(folder, 'performance-tokens.svg'),
      renderPlot({ title: 'Median latency as a vault grows', x: 'tokens in the vault', y: 'ms', lines }),
    )
  }
}
