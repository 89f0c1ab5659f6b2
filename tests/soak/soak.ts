// `node tests/soak/soak.ts --minutes 10` sends mixed traffic to a served vault, and prints its resources and latencies.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import readline from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { checkDatabase } from '../../electron/engine/db/copy-database.ts'
import { getVaultFiles } from '../../electron/host/files/vault-files.ts'
import { newRecoveryKey } from '../../electron/host/keys/recovery-key.ts'
import { createVault } from '../../electron/host/vault/create-vault.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { formatTable } from '../bench/table.ts'
import { readFileSize } from '../read-file-size.ts'
import { MixedTraffic } from './mixed-traffic.ts'
import { openConsole } from './open-console.ts'
import { columns, findGrowth, type SoakSample, toCells } from './soak-bounds.ts'
import type { ProcessResources } from './soak-probe.ts'

const name = 'default'
const passphrase = 'correct horse'
const argon2id = { memory_kib: 64, iterations: 1, parallelism: 1 }
const root = path.join(import.meta.dirname, '..', '..')

export type SoakResult = { samples: SoakSample[]; maintenance: Record<string, number>; problems: string[] }

/**
 * Serves a vault on disk to mixed traffic for a given time, with occasional backups and new keys, and samples its
 * resources. Problems are unexpected responses, values that grew beyond their bound, and tokens that differ from their
 * last response, even after the vault was closed and opened again.
 */
export async function runSoak(options: {
  folder: string
  seconds: number
  sample_seconds: number
  maintenance_seconds: number
  in_flight: number
  onSample?: (name: string, sample: SoakSample) => void
}): Promise<SoakResult> {
  const dataDir = path.join(options.folder, 'data')
  const key = await prepareVault(dataDir)
  const { child, facts } = await startServe(dataDir)
  const ended = once(child, 'exit')
  const traffic = new MixedTraffic(facts.url, key)
  const { database } = getVaultFiles(dataDir, name)
  const samples: SoakSample[] = []
  const began = performance.now()
  let [last, counted] = [began, 0]
  const takeSample = async (label: string) => {
    const latencies = traffic.takeLatencies()
    const resources = await readResources(child)
    const now = performance.now()
    const getPercentile = (part: number) => latencies[Math.floor((latencies.length - 1) * part)] ?? 0
    const taken = {
      ...resources,
      seconds: (now - began) / 1000,
      requests: traffic.requests,
      per_second: ((traffic.requests - counted) / (now - last)) * 1000,
      p50: getPercentile(0.5),
      p99: getPercentile(0.99),
      tokens: traffic.kept.size,
      database: readFileSize(database),
      wal: readFileSize(`${database}-wal`),
    }
    last = now
    counted = traffic.requests
    options.onSample?.(label, taken)
    return taken
  }
  const run = await openConsole(facts.console)
  const problems: string[] = []
  const maintenance: Record<string, number> = {}
  await takeSample('start')
  const running = traffic.runClients(options.in_flight)
  const until = began + options.seconds * 1000
  const keeping = runMaintenance(run, {
    until,
    every_ms: options.maintenance_seconds * 1000,
    folder: options.folder,
    maintenance,
  })
  keeping.catch((error: Error) => problems.push(error.message))
  while (performance.now() < until && child.exitCode === null) {
    await delay(Math.min(options.sample_seconds * 1000, Math.max(until - performance.now(), 0)))
    if (child.exitCode === null)
      samples.push(await takeSample(`${Math.round((performance.now() - began) / 1000)} s`))
  }
  await keeping.catch(() => {})
  traffic.stop()
  await running
  await traffic.compareTokens()
  samples.push(await takeSample('end'))
  child.kill('SIGTERM')
  const [code] = await ended
  if (code !== 0) problems.push(`the server ended with ${code}`)
  problems.push(...(await checkReopened(dataDir, traffic)), ...traffic.problems, ...findGrowth(samples))
  return { samples, maintenance, problems }
}

/** Creates a vault and a key that may do everything with tokens. */
async function prepareVault(dataDir: string): Promise<string> {
  const { vault } = await createVault({ dataDir, name, protection: { passphrase, argon2id } })
  const permissions = ['token:create', 'token:read', 'token:update', 'token:delete', 'token:search']
  const rules = [{ priority: 1, container: '/', transform: 'reveal', permissions }]
  const made = await vault.engine.call(
    'applications.create',
    { name: 'Soak', type: 'private', rules },
    { kind: 'owner' },
  )
  vault.lock()
  return (made.output as { key: string }).key
}

async function startServe(dataDir: string) {
  const flags = ['--disable-warning=ExperimentalWarning', '--expose-gc']
  const probe = path.join(import.meta.dirname, 'soak-probe.ts')
  const cli = path.join(root, 'electron', 'cli', 'run.mjs')
  const args = ['serve', '--data-dir', dataDir, '--port', '0', '--console', '--json']
  const { PATH, HOME, TMPDIR } = process.env
  const child = spawn(process.execPath, [...flags, '--import', probe, cli, ...args], {
    env: {
      PATH,
      HOME,
      TMPDIR,
      COFFER_PASSPHRASE: passphrase,
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  for await (const line of readline.createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    return { child, facts: JSON.parse(line) as { url: string; console: string } }
  }
  throw new Error('The server did not start.')
}

async function readResources(child: ChildProcess): Promise<ProcessResources> {
  const message = once(child, 'message')
  child.send('resources')
  return (await message)[0] as ProcessResources
}

/** Makes backups in alternation with changes of the data key or the master secret. */
async function runMaintenance(
  run: (name: string, input?: object) => Promise<unknown>,
  {
    until,
    every_ms,
    folder,
    maintenance,
  }: { until: number; every_ms: number; folder: string; maintenance: Record<string, number> },
): Promise<void> {
  const file = path.join(folder, 'soak.coffer-backup')
  const turns = ['host.backup', 'host.rotateDataKey', 'host.backup', 'host.rotateMaster'] as const
  for (let turn = 0; ; turn++) {
    if (turn > 0 && performance.now() + every_ms > until) return
    await delay(every_ms)
    const command = turns[turn % turns.length] as (typeof turns)[number]
    fs.rmSync(file, { force: true })
    const input = {
      'host.backup': { file },
      'host.rotateDataKey': {},
      'host.rotateMaster': { passphrase, recovery_key: newRecoveryKey() },
    }[command]
    await run(command, input)
    maintenance[command] = (maintenance[command] ?? 0) + 1
  }
}

/** Opens the vault that the server left. Every token that was not deleted must exist, and every page must be intact. */
async function checkReopened(dataDir: string, traffic: MixedTraffic): Promise<string[]> {
  const vault = await openVault({ dataDir, name, with: { passphrase } })
  const problems: string[] = []
  try {
    for (const [id, kept] of traffic.kept) {
      const { output } = await vault.engine.call('tokens.reveal', { id }, { kind: 'owner' })
      const { data } = output as { data: unknown }
      if (JSON.stringify(data) !== JSON.stringify(kept)) problems.push(`${id} is another after opening again`)
    }
  } catch (error) {
    problems.push(`after opening again: ${error instanceof Error ? error.message : ''}`)
  }
  const key = deriveDatabaseKey(vault.withMaster((master) => master))
  vault.lock()
  checkDatabase(vault.files.database, key)
  return problems
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      'in-flight': { type: 'string', default: '8' },
    },
  })
  const seconds = Number(values.minutes) * 60
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-soak-'))
  const rows: string[][] = []
  const { maintenance, problems } = await runSoak({
    folder,
    seconds,
    sample_seconds: Math.min(60, seconds / 5),
    maintenance_seconds: Math.min(15, seconds / 10),
    in_flight: Number(values['in-flight']),
    onSample(label, sample) {
      rows.push(toCells(label, sample))
      console.log(toCells(label, sample).join('  '))
    },
  })
  console.log(`\n${formatTable(columns, rows)}\n`)
  for (const [command, times] of Object.entries(maintenance)) console.log(`${command}: ${times}`)
  for (const problem of problems) console.log(`PROBLEM: ${problem}`)
  fs.rmSync(folder, { recursive: true })
  if (problems.length > 0) process.exitCode = 1
  else console.log('Nothing lost, nothing grew without bound.')
}
