import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { compare, comparisonTable } from './against.ts'
import { type Batch, measureBatch } from './batch.ts'
import { type Block, measureBlocks } from './blocks.ts'
import { type Commands, measureCommands } from './commands.ts'
import { measureCommit } from './commit.ts'
import { type Elements, measureElements } from './elements.ts'
import { type Finds, measureFinds } from './finds.ts'
import { measureGrowth, type Size } from './growth.ts'
import { type Imports, measureImports } from './imports.ts'
import type { Effort, Summary } from './measure.ts'
import { plot } from './plot.ts'
import { measureProxies, type Proxies } from './proxies.ts'
import { measureReactors, type Reactors } from './reactors.ts'
import { type Memory, measureMemory, measureStartUp, REST_S, type StartUp } from './start-up.ts'
import { count, ms, ratio, table } from './table.ts'
import { measureThroughput, type Row, type Throughput } from './throughput.ts'
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
const sizes = options.tokens === undefined ? usualSizes : numbersOf('--tokens', options.tokens)
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
  growth?: { sizes: Size[]; memory: Memory }
  varied?: { sizes: VariedSize[]; memory: Memory }
  start?: StartUp
  commands?: Commands
  blocks?: Block[]
  finds?: Finds
}

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-bench-'))
process.on('exit', () => fs.rmSync(work, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const say = (text: string) => process.stderr.write(`${text}\n`)
const wanted = (part: string) => options.only === undefined || options.only === part
const newVault = async (name: string, tokens: number) => {
  const vault = await makeVault(path.join(work, name))
  if (tokens > 0) await fillVault(vault, tokens)
  return vault
}

if (options.against !== undefined) {
  const { quick, only, against: revision } = options
  const [rounds = 5] = numbersOf('--rounds', options.rounds)
  const compared = await compare({ revision, work, rounds, quick, only, say })
  console.log(options.json ? JSON.stringify(compared, null, 2) : comparisonTable(compared))
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
if (wanted('throughput')) {
  say('Throughput …')
  const commit_us = measureCommit(work, quick ? 100 : 1000)
  const throughput = await measureThroughput(await newVault('throughput', 1000), effort, levels, work)
  report.throughput = { ...throughput, commit_us }
}
if (wanted('proxies')) {
  say('Proxies …')
  report.proxies = await measureProxies(await newVault('proxies', 1000), effort)
}
if (wanted('webhooks')) {
  say('Webhooks …')
  const [without, withTwo] = [await newVault('without', 1000), await newVault('webhooks', 1000)]
  report.webhooks = await measureWebhooks(without, withTwo, effort)
}
if (wanted('reactors')) {
  say('Reactors …')
  report.reactors = await measureReactors(quick ? 100 : 1000)
}
if (wanted('elements')) {
  say('Elements …')
  report.elements = await measureElements(quick ? 3 : 20)
}
if (wanted('start')) {
  say('Start …')
  report.start = await measureStartUp(await newVault('start', 1000), quick ? 3 : 9)
  report.commands = await measureCommands(quick ? 3 : 20)
}
if (wanted('batch')) {
  say('Batch work …')
  report.batch = await measureBatch(await newVault('batch', 1000), batch)
}
if (wanted('import')) {
  say('Imports …')
  report.imports = await measureImports(path.join(work, 'imports'), quick ? 2000 : 100_000, quick ? 1 : 3)
}
if (wanted('blocks')) {
  say('Longest blocks …')
  report.blocks = await measureBlocks(path.join(work, 'blocks'), quick ? 10_000 : 100_000, say)
}
if (wanted('find')) {
  say('Finding …')
  report.finds = await measureFinds(await newVault('find', 0), quick ? 20_000 : 1_000_000)
}
if (wanted('growth')) {
  say('Growth …')
  const vault = await newVault('growth', 0)
  const measured = await measureGrowth(vault, sizes, growthEffort, say)
  report.growth = { sizes: measured, memory: await measureMemory(vault, quick ? 100 : 2000) }
}
if (wanted('varied')) {
  say('Access and searches …')
  const vault = await newVault('varied', 0)
  const { sizes: measured, keys } = await measureVaried(vault, sizes, growthEffort, say)
  report.varied = { sizes: measured, memory: await measureMemory(vault, quick ? 500 : 2000, keys) }
}
if (options.json) console.log(JSON.stringify(report, null, 2))
else console.log(tables(report).join('\n\n'))
if (options.plots) writePlots(report)
process.exit()

function tables({
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
    parts.push(throughputTable(throughput.rows))
    if (!throughput.peers) parts.push('json-server and prism could not be fetched; their rows are left out.')
    parts.push(
      `At 32 connections, ${throughput.per_commit.toFixed(1)} creates shared a commit on average. A token, its log record and a commit alone take ${ms(throughput.commit_us)} ms.`,
    )
  }
  if (proxies) parts.push(...proxiesTables(proxies))
  if (webhooks) parts.push(...webhooksTables(webhooks))
  if (reactors) {
    parts.push(
      table(
        ['Code of a reactor, 1 kB', 'p50 ms', 'slowest ms'],
        [
          ['called in process', ms(reactors.in_process.p50), ms(reactors.in_process.worst)],
          ['call, with a process at hand', ms(reactors.warm.p50), ms(reactors.warm.worst)],
          ['first call of a reactor, the same', ms(reactors.first.p50), ms(reactors.first.worst)],
          ['calls one after another', ms(reactors.burst.p50), ms(reactors.burst.worst)],
          ['100 calls a second', ms(reactors.steady.p50), ms(reactors.steady.worst)],
          ['call without any process', ms(reactors.cold.p50), ms(reactors.cold.worst)],
        ],
      ),
    )
  }
  if (elements) {
    const row = (name: string, { p50, worst }: Elements['ready']) => [name, p50.toFixed(1), worst.toFixed(1)]
    parts.push(
      table(
        ['Elements in a page', 'p50 ms', 'slowest ms'],
        [
          row('a bare frame with an input', elements.bare_frame),
          row('a card element, from asking for the script', elements.ready),
          row('change event of a keystroke', elements.change),
        ],
      ),
    )
  }
  if (start) {
    const { first_answer_ms, passphrase_ms } = start
    parts.push(
      `\`coffer serve\` on an existing vault, first answer: ${count(first_answer_ms)} ms. Deriving the key from the passphrase alone takes ${count(passphrase_ms)} ms, and the listener is loaded meanwhile.`,
    )
  }
  if (commands) {
    const { bare_node, version, help, start_coffer, reset } = commands
    parts.push(
      `Processor time of a process: bare Node ${count(bare_node)} ms, \`coffer --version\` ${count(version)} ms, \`coffer --help\` ${count(help)} ms. In a warm process, \`startCoffer()\` takes ${count(start_coffer)} ms and \`reset()\` ${count(reset)} ms.`,
    )
  }
  if (batch) parts.push(...batchTables(batch))
  if (imports) parts.push(...importsTables(imports))
  if (blocks) parts.push(blocksTable(blocks))
  if (finds) parts.push(...findsTables(finds))
  if (growth) {
    parts.push(growthTable(growth.sizes), memoryText(growth.memory))
  }
  if (varied) parts.push(variedTable(varied.sizes), memoryText(varied.memory))
  return parts
}

function throughputTable(rows: readonly Row[]): string {
  const bareOf = ({ operation, connections }: Row) =>
    rows.find(
      (row) =>
        row.operation === `bare ${operation.includes('GET') ? 'GET' : 'POST'}` &&
        row.connections === connections,
    )
  return table(
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
      count(row.per_second),
      row.spread.map(count).join(' – '),
      ratio(row.per_second / (bareOf(row)?.per_second ?? row.per_second)),
      ms(row.p50),
      ms(row.p99),
      ms(row.p999),
      blocked(row),
      String(row.failed),
    ]),
  )
}

function blocked({ block }: Summary): string {
  return block === undefined ? '' : block.toFixed(1)
}

function proxiesTables({ rows, peak_mb }: Proxies): string[] {
  const reverse = rows.find(({ operation }) => operation === 'http-proxy')
  const parts = [
    table(
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
        count(row.per_second),
        row.spread.map(count).join(' – '),
        ratio(row.per_second / (reverse?.per_second ?? row.per_second)),
        ms(row.p50),
        ms(row.p99),
        ms(row.p999),
        blocked(row),
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

function webhooksTables({ rows, delivered }: Webhooks): string[] {
  const [first] = rows
  return [
    table(
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
        count(per_second),
        ms(p50),
        ms(p99),
        ms(p999),
        block.toFixed(1),
        ratio(p99 / (first?.p99 ?? p99)),
      ]),
    ),
    `Beside them, ${count(delivered)} deliveries a second.`,
  ]
}

function batchTables({ tokens, create_rate, rotate_rate, while_called }: Batch): string[] {
  return [
    table(
      [`${count(tokens)} tokens`, 'tokens/s alone', 'tokens/s beside other calls'],
      [
        ['create', count(create_rate), count(while_called.create_rate)],
        ['change the data key', count(rotate_rate), count(while_called.rotate_rate)],
      ],
    ),
    table(
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
        ms(p50),
        ms(p99),
        ms(p999),
        ms(max),
        block.toFixed(1),
      ]),
    ),
  ]
}

function importsTables({ lines, command, window }: Imports): string[] {
  const { preview_s, check_s, import_s, check_cpu_us, import_cpu_us } = window
  return [
    table(
      [`\`coffer import\`, ${count(lines)} lines`, 'lines/s', 'processor µs a line'],
      command.map(({ what, per_second, cpu_us }) => [what, count(per_second), cpu_us.toFixed(1)]),
    ),
    table(
      [`${count(lines)} rows in the window`, 'seconds', 'processor µs a row'],
      [
        ['preview of a sample', preview_s.toFixed(2), ''],
        ['check', check_s.toFixed(2), check_cpu_us.toFixed(1)],
        ['import', import_s.toFixed(2), import_cpu_us.toFixed(1)],
      ],
    ),
  ]
}

function blocksTable(blocks: readonly Block[]): string {
  return table(
    ['one request at a time', 'longest block ms', 'status', 'bytes', 'resident MB'],
    blocks.map(({ what, block, status, bytes, rss_mb }) => [
      what,
      block.toFixed(1),
      String(status),
      count(bytes),
      String(rss_mb),
    ]),
  )
}

function findsTables({ tokens, create_rate, of_create, index_seconds, rows }: Finds): string[] {
  return [
    table(
      [`Finding in ${count(tokens)} tokens`, 'found', 'first ms', 'p50 ms', 'slowest ms'],
      rows.map(({ what, found, first, p50, worst }) => [
        what,
        count(found),
        first.toFixed(1),
        p50.toFixed(1),
        worst.toFixed(1),
      ]),
    ),
    `${count(create_rate)} tokens a second were created while the index was written; its rest took ${index_seconds.toFixed(1)} s, ${ratio(of_create)} of the time in all.`,
  ]
}

function growthTable(measured: readonly Size[]): string {
  const operations = Object.keys(measured[0]?.p50 ?? {})
  const [first, last] = [measured[0], measured.at(-1)]
  return table(
    ['p50 ms, one connection', ...measured.map(({ tokens }) => count(tokens)), 'last to first'],
    [
      ...operations.map((name) => [
        name,
        ...measured.map(({ p50 }) => ms(p50[name] ?? 0)),
        ratio((last?.p50[name] ?? 0) / (first?.p50[name] ?? 1)),
      ]),
      ['opening to first answer', ...measured.map((size) => size.opened_ms.toFixed(1)), ''],
      ['bytes of file per token', ...measured.map((size) => count(size.bytes_per_token)), ''],
      ['… over HTTP, with its log record', ...measured.map((size) => count(size.bytes_per_create)), ''],
    ],
  )
}

function variedTable(measured: readonly VariedSize[]): string {
  const [first, last] = [measured[0], measured.at(-1)]
  return table(
    ['processor time, ms', ...measured.map(({ tokens }) => count(tokens)), 'last to first'],
    Object.keys(first?.cpu ?? {}).map((name) => [
      name,
      ...measured.map(({ cpu }) => (cpu[name] ?? 0).toFixed(2)),
      ratio((last?.cpu[name] ?? 0) / (first?.cpu[name] ?? 1)),
    ]),
  )
}

function memoryText({ idle, used, rested }: Memory): string {
  return `Resident memory of \`coffer serve\` on the largest vault: ${mb(idle)} at first, ${mb(used)} after everything was asked for, ${mb(rested)} when it had rested for ${REST_S} seconds.`
}

/** Parses an option's comma-separated numbers and sorts them. Exits with an error if a part is not a whole number. */
function numbersOf(option: string, text: string): number[] {
  const parts = text.split(',')
  if (parts.every((each) => /^[1-9]\d{0,8}$/.test(each))) return parts.map(Number).sort((a, b) => a - b)
  console.error(`${option} takes whole numbers, as in 1000,10000.`)
  process.exit(2)
}

function mb(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}

function writePlots({ throughput, growth }: Report): void {
  const folder = path.join(import.meta.dirname, '..', '..', 'docs', 'images')
  fs.mkdirSync(folder, { recursive: true })
  if (throughput && levels.length > 0) {
    const lines = throughput.curves
    fs.writeFileSync(
      path.join(folder, 'performance-connections.svg'),
      plot({ title: 'Requests a second', x: 'connections', y: 'requests/s', lines }),
    )
  }
  if (growth) {
    const shown = [
      'get, masked',
      'list, first page',
      'list, far page',
      'list by type',
      'search by data',
      'create',
    ]
    const lines = shown.map((name) => ({
      name,
      points: growth.sizes.map(({ tokens, p50 }) => [tokens, (p50[name] ?? 0) / 1000] as const),
    }))
    fs.writeFileSync(
      path.join(folder, 'performance-tokens.svg'),
      plot({ title: 'Median latency as a vault grows', x: 'tokens in the vault', y: 'ms', lines }),
    )
  }
}
