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
import { table } from '../bench/table.ts'
import { consoleClient } from './console-client.ts'
import { MixedTraffic } from './mixed-traffic.ts'
import { cellsOf, columns, grown, type Sample } from './soak-bounds.ts'
import type { Held } from './soak-probe.ts'

const name = 'default'
const passphrase = 'correct horse'
const argon2id = { memory_kib: 64, iterations: 1, parallelism: 1 }
const root = path.join(import.meta.dirname, '..', '..')

export type SoakResult = { samples: Sample[]; upkeep: Record<string, number>; problems: string[] }

/**
 * Serves a vault on disk to mixed traffic for a given time, with occasional backups and new keys, and samples its
 * resources. Problems are unexpected responses, values that grew beyond their bound, and tokens that differ from their
 * last response, even after the vault was closed and opened again.
 */
export async function soak(options: {
  folder: string
  seconds: number
  sample_seconds: number
  upkeep_seconds: number
  in_flight: number
  say?: (name: string, sample: Sample) => void
}): Promise<SoakResult> {
  const dataDir = path.join(options.folder, 'data')
  const key = await prepare(dataDir)
  const { child, facts } = await serve(dataDir)
  const ended = once(child, 'exit')
  const traffic = new MixedTraffic(facts.url, key)
  const { database } = getVaultFiles(dataDir, name)
  const samples: Sample[] = []
  const began = performance.now()
  let [last, counted] = [began, 0]
  const sample = async (label: string) => {
    const latencies = traffic.takeLatencies()
    const held = await ask(child)
    const now = performance.now()
    const at = (part: number) => latencies[Math.floor((latencies.length - 1) * part)] ?? 0
    const taken = {
      ...held,
      seconds: (now - began) / 1000,
      requests: traffic.requests,
      per_second: ((traffic.requests - counted) / (now - last)) * 1000,
      p50: at(0.5),
      p99: at(0.99),
      tokens: traffic.kept.size,
      database: sizeOf(database),
      wal: sizeOf(`${database}-wal`),
    }
    last = now
    counted = traffic.requests
    options.say?.(label, taken)
    return taken
  }
  const run = await consoleClient(facts.console)
  const problems: string[] = []
  const upkeep: Record<string, number> = {}
  await sample('start')
  const running = traffic.run(options.in_flight)
  const until = began + options.seconds * 1000
  const keeping = keepUp(run, {
    until,
    every_ms: options.upkeep_seconds * 1000,
    folder: options.folder,
    upkeep,
  })
  keeping.catch((error: Error) => problems.push(error.message))
  while (performance.now() < until && child.exitCode === null) {
    await delay(Math.min(options.sample_seconds * 1000, Math.max(until - performance.now(), 0)))
    if (child.exitCode === null)
      samples.push(await sample(`${Math.round((performance.now() - began) / 1000)} s`))
  }
  await keeping.catch(() => {})
  traffic.stop()
  await running
  await traffic.compare()
  samples.push(await sample('end'))
  child.kill('SIGTERM')
  const [code] = await ended
  if (code !== 0) problems.push(`the server ended with ${code}`)
  problems.push(...(await reopened(dataDir, traffic)), ...traffic.problems, ...grown(samples))
  return { samples, upkeep, problems }
}

/** Creates a vault and a key that may do everything with tokens. */
async function prepare(dataDir: string): Promise<string> {
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

async function serve(dataDir: string) {
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

async function ask(child: ChildProcess): Promise<Held> {
  const answer = once(child, 'message')
  child.send('held?')
  return (await answer)[0] as Held
}

/** Makes backups in alternation with changes of the data key or the master secret. */
async function keepUp(
  run: (name: string, input?: object) => Promise<unknown>,
  {
    until,
    every_ms,
    folder,
    upkeep,
  }: { until: number; every_ms: number; folder: string; upkeep: Record<string, number> },
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
    upkeep[command] = (upkeep[command] ?? 0) + 1
  }
}

/** Opens the vault that the server left. Every token that was not deleted must exist, and every page must be intact. */
async function reopened(dataDir: string, traffic: MixedTraffic): Promise<string[]> {
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

function sizeOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0
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
  const { upkeep, problems } = await soak({
    folder,
    seconds,
    sample_seconds: Math.min(60, seconds / 5),
    upkeep_seconds: Math.min(15, seconds / 10),
    in_flight: Number(values['in-flight']),
    say(label, sample) {
      rows.push(cellsOf(label, sample))
      console.log(cellsOf(label, sample).join('  '))
    },
  })
  console.log(`\n${table(columns, rows)}\n`)
  for (const [command, times] of Object.entries(upkeep)) console.log(`${command}: ${times}`)
  for (const problem of problems) console.log(`PROBLEM: ${problem}`)
  fs.rmSync(folder, { recursive: true })
  if (problems.length > 0) process.exitCode = 1
  else console.log('Nothing lost, nothing grew without bound.')
}
