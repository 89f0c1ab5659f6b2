import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { Operations } from '../../electron/engine/operations.ts'
import { runCommand } from '../../electron/host/commands.ts'
import { Host } from '../../electron/host/host.ts'
import { createClient } from '../../shared/client.ts'
import type { HostCommands } from '../../shared/host.ts'
import { told } from './commands.ts'
import { median } from './measure.ts'
import { flags, programFile, root } from './start-up.ts'
import { cardNumber, makeVault, passphrase } from './vault.ts'

/** The speed of imports. */
export type Imports = {
  readonly lines: number
  /** `coffer import` by type of token. Times include the start of the process and the key derivation. */
  readonly command: readonly {
    readonly what: string
    readonly per_second: number
    /** Processor time of all threads per line, in microseconds. */
    readonly cpu_us: number
  }[]
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

/** Imports files of cards into new vaults, by the command line and by the commands of the window. */
export async function measureImports(work: string, lines: number, runs: number): Promise<Imports> {
  fs.mkdirSync(work, { recursive: true })
  const rows = Array.from({ length: lines }, (_, at) => ({
    pan: cardNumber(at),
    month: 1 + (at % 12),
    year: 2030 + (at % 10),
    customer: `customer-${at}`,
  }))
  const csv = `pan,month,year,customer\n${rows.map((row) => `${Object.values(row).join(',')}\n`).join('')}`
  const tokens = rows.map(({ pan, month, year }) => ({
    type: 'card',
    data: { number: pan, expiration_month: month, expiration_year: year },
  }))
  const write = (name: string, text: string) => {
    fs.writeFileSync(path.join(work, name), text)
    return path.join(work, name)
  }
  const files = [
    { what: 'CSV, cards', file: write('cards.csv', csv), map: write('cards.json', JSON.stringify(card)) },
    {
      what: 'CSV, cards with a pair of metadata',
      file: write('pairs.csv', csv),
      map: write('pairs.json', JSON.stringify(mapping)),
    },
    {
      what: 'NDJSON, cards',
      file: write('cards.ndjson', tokens.map((each) => `${JSON.stringify(each)}\n`).join('')),
    },
  ]
  const command: Imports['command'][number][] = []
  for (const { what, file, map } of files) {
    const times: Run[] = []
    for (let run = 0; run < runs; run++) {
      const dataDir = fs.mkdtempSync(path.join(work, 'data-'))
      await makeVault(dataDir)
      times.push(importFile(dataDir, file, map))
      fs.rmSync(dataDir, { recursive: true })
    }
    command.push({
      what,
      per_second: lines / median(times.map(({ seconds }) => seconds)),
      cpu_us: median(times.map(({ cpu_us }) => cpu_us)) / lines,
    })
  }
  return { lines, command, window: await inWindow(path.join(work, 'window'), csv, lines) }
}

type Run = { readonly seconds: number; readonly cpu_us: number }

function importFile(dataDir: string, file: string, map: string | undefined): Run {
  const mapped = map === undefined ? [] : ['--map', map]
  const args = ['import', file, '--data-dir', dataDir, '--again', '--json', ...mapped]
  const started = performance.now()
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...flags, '--import', told, programFile(root), ...args],
    { encoding: 'utf8', env: { ...process.env, COFFER_PASSPHRASE: passphrase } },
  )
  const seconds = (performance.now() - started) / 1000
  const [, us] = /cpu (\d+)$/.exec(stderr) ?? []
  if (status !== 0 || us === undefined)
    throw new Error(`coffer import ended with ${status}: ${stdout}${stderr}`)
  return { seconds, cpu_us: Number(us) }
}

async function inWindow(dataDir: string, text: string, lines: number): Promise<Imports['window']> {
  const host = new Host({
    version: '0.0.0',
    shell: 'console',
    dataDir,
    autoLock: false,
    overrides: { port: 0 },
  })
  try {
    const window = createClient<Operations & HostCommands>(async (name, input) => {
      // Convert the call and its answer to JSON, as a transport does.
      const answer = await runCommand(host, JSON.parse(JSON.stringify({ name, input })))
      return JSON.parse(JSON.stringify(answer))
    })
    await window.host.createVault({ name: 'bench', protection: { passphrase } })
    const preview = await timed(() =>
      window.host.previewImport({ format: 'csv', text: text.slice(0, 100_000) }),
    )
    const order = { format: 'csv', text, mapping, import_id: randomUUID() } as const
    const check = await timed(() => window.host.importTokens({ ...order, dry_run: true }))
    const made = await timed(() => window.host.importTokens(order))
    for (const { answer } of [check, made]) {
      if (answer.created !== lines) throw new Error(`${answer.refused} lines were refused.`)
    }
    return {
      preview_s: preview.seconds,
      check_s: check.seconds,
      import_s: made.seconds,
      check_cpu_us: check.cpu_us / lines,
      import_cpu_us: made.cpu_us / lines,
    }
  } finally {
    await host.close()
  }
}

async function timed<T>(act: () => Promise<T>): Promise<Run & { readonly answer: T }> {
  const [used, started] = [process.cpuUsage(), performance.now()]
  const answer = await act()
  const { user, system } = process.cpuUsage(used)
  return { answer, seconds: (performance.now() - started) / 1000, cpu_us: user + system }
}
