import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { Operations } from '../../electron/engine/operations.ts'
import type { HostCommands } from '../../electron/host/commands/catalogue.ts'
import { runCommand } from '../../electron/host/commands/run-command.ts'
import { Host } from '../../electron/host/host.ts'
import { createClient } from '../../shared/client.ts'
import { cpuReporter } from './commands.ts'
import { computeMedian } from './measure.ts'
import { flags, getProgramFile, root } from './start-up.ts'
import { makeVault, passphrase, toCardNumber } from './vault.ts'

/** The speed of imports and of a seed. */
export type Imports = {
  readonly lines: number
  /** `coffer import` by type of token. Times include the start of the process and the key derivation. */
  readonly command: readonly {
    readonly what: string
    readonly per_second: number
    /** Processor time of all threads per line, in microseconds. */
    readonly cpu_us: number
  }[]
  /** `coffer run --seed` with as many generated cards, until the program that it runs has ended. */
  readonly seed: { readonly seconds: number; readonly cpu_us: number }
  /** The window's commands to its host, in seconds: previewing, checking and importing a CSV file. */
  readonly window: {
    readonly preview_s: number
    readonly check_s: number
    readonly import_s: number
    /** Processor time per line, in microseconds. */
    readonly check_cpu_us: number
    readonly import_cpu_us: number
  }
}

const card = { type: 'card', data: { number: '$pan', expiration_month: '$month', expiration_year: '$year' } }
const mapping = { ...card, metadata: { customer: '$customer' } }

/** Imports files of cards into new vaults, with the CLI and with the window's commands. */
export async function measureImports(work: string, lines: number, runs: number): Promise<Imports> {
  fs.mkdirSync(work, { recursive: true })
  const rows = Array.from({ length: lines }, (_, at) => ({
    pan: toCardNumber(at),
    month: 1 + (at % 12),
    year: 2030 + (at % 10),
    customer: `customer-${at}`,
  }))
  const csv = `pan,month,year,customer\n${rows.map((row) => `${Object.values(row).join(',')}\n`).join('')}`
  const tokens = rows.map(({ pan, month, year }) => ({
    type: 'card',
    data: { number: pan, expiration_month: month, expiration_year: year },
  }))
  const writeWorkFile = (name: string, text: string) => {
    fs.writeFileSync(path.join(work, name), text)
    return path.join(work, name)
  }
  const files = [
    {
      what: 'CSV, cards',
      file: writeWorkFile('cards.csv', csv),
      map: writeWorkFile('cards.json', JSON.stringify(card)),
    },
    {
      what: 'CSV, cards with a pair of metadata',
      file: writeWorkFile('pairs.csv', csv),
      map: writeWorkFile('pairs.json', JSON.stringify(mapping)),
    },
    {
      what: 'NDJSON, cards',
      file: writeWorkFile('cards.ndjson', tokens.map((each) => `${JSON.stringify(each)}\n`).join('')),
    },
  ]
  const command: Imports['command'][number][] = []
  for (const { what, file, map } of files) {
    const times: ImportRun[] = []
    for (let run = 0; run < runs; run++) {
      const dataDir = fs.mkdtempSync(path.join(work, 'data-'))
      await makeVault(dataDir)
      times.push(importFile(dataDir, file, map))
      fs.rmSync(dataDir, { recursive: true })
    }
    command.push({
      what,
      per_second: lines / computeMedian(times.map(({ seconds }) => seconds)),
      cpu_us: computeMedian(times.map(({ cpu_us }) => cpu_us)) / lines,
    })
  }
  const seed = writeWorkFile('seed.yaml', `generate: [{ type: card, count: ${lines} }]`)
  const seeded = runProgram(['run', '--seed', seed, '--', process.execPath, '-e', ''])
  return {
    lines,
    command,
    seed: { seconds: seeded.seconds, cpu_us: seeded.cpu_us / lines },
    window: await measureWindowImport(path.join(work, 'window'), csv, lines),
  }
}

type ImportRun = { readonly seconds: number; readonly cpu_us: number }

function importFile(dataDir: string, file: string, map: string | undefined): ImportRun {
  const mapped = map === undefined ? [] : ['--map', map]
  return runProgram(['import', file, '--data-dir', dataDir, '--again', '--json', ...mapped])
}

function runProgram(args: readonly string[]): ImportRun {
  const started = performance.now()
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...flags, '--import', cpuReporter, getProgramFile(root), ...args],
    { encoding: 'utf8', env: { ...process.env, COFFER_PASSPHRASE: passphrase } },
  )
  const seconds = (performance.now() - started) / 1000
  const [, us] = /cpu (\d+)$/.exec(stderr) ?? []
  if (status !== 0 || us === undefined)
    throw new Error(`coffer ${args[0]} ended with ${status}: ${stdout}${stderr}`)
  return { seconds, cpu_us: Number(us) }
}

async function measureWindowImport(dataDir: string, text: string, lines: number): Promise<Imports['window']> {
  const host = new Host({
    version: '0.0.0',
    shell: 'console',
    dataDir,
    autoLock: false,
    overrides: { port: 0 },
  })
  try {
    const window = createClient<Operations & HostCommands>(async (name, input) => {
      // Convert the call and its response to JSON, as a transport does.
      const response = await runCommand(host, JSON.parse(JSON.stringify({ name, input })))
      return JSON.parse(JSON.stringify(response))
    })
    await window.host.createVault({ name: 'bench', protection: { passphrase } })
    const preview = await measureRun(() =>
      window.host.previewImport({ format: 'csv', text: text.slice(0, 100_000) }),
    )
    const order = { format: 'csv', text, mapping, import_id: randomUUID() } as const
    const check = await measureRun(() => window.host.importTokens({ ...order, dry_run: true }))
    const imported = await measureRun(() => window.host.importTokens(order))
    for (const { result } of [check, imported]) {
      if (result.created !== lines) throw new Error(`${result.refused} lines were refused.`)
    }
    return {
      preview_s: preview.seconds,
      check_s: check.seconds,
      import_s: imported.seconds,
      check_cpu_us: check.cpu_us / lines,
      import_cpu_us: imported.cpu_us / lines,
    }
  } finally {
    await host.close()
  }
}

async function measureRun<T>(act: () => Promise<T>): Promise<ImportRun & { readonly result: T }> {
  const [used, started] = [process.cpuUsage(), performance.now()]
  const result = await act()
  const { user, system } = process.cpuUsage(used)
  return { result, seconds: (performance.now() - started) / 1000, cpu_us: user + system }
}
