// `node tests/soak/crash-rounds.ts --rounds 100`: repeatedly kills a vault in use, and checks whether anything is lost.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import readline from 'node:readline'
import { parseArgs } from 'node:util'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { checkDatabase } from '../../electron/engine/db/copy-database.ts'
import { migrateDatabase } from '../../electron/engine/db/migrate.ts'
import { migrations } from '../../electron/engine/db/migrations.ts'
import { openDatabase } from '../../electron/engine/db/open.ts'
import { readBackupFile } from '../../electron/host/backups/backup-file.ts'
import { readHeader } from '../../electron/host/files/header.ts'
import { listVaults } from '../../electron/host/files/vault-files.ts'
import { backUpOpenVault } from '../../electron/host/maintenance/back-up.ts'
import { createVault } from '../../electron/host/vault/create-vault.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import type { OpenVault } from '../../electron/host/vault/vault.ts'
import { CofferError } from '../../shared/errors.ts'
import { toFirstFormat } from '../first-format.ts'
import type { ChildOrder, CrashWork } from './crash-child.ts'
import { getAnsweredFile } from './crash-openings.ts'
import { createRandom } from './create-random.ts'
import { createRewrites } from './create-rewrites.ts'
import { Traffic } from './traffic.ts'

type CrashKind = CrashWork | 'serve'
const kinds: readonly CrashKind[] = [
  'serve',
  'rotate data',
  'rotate master',
  'backup',
  'restore',
  'migrate',
  'change protection',
  'open',
  'open older',
]

const name = 'default'
const protection = {
  passphrase: 'correct horse',
  argon2id: { memory_kib: 64, iterations: 1, parallelism: 1 },
}
const owner = { kind: 'owner' } as const
/** The time in ms within which a vault opens and closes. */
const MAX_OPENING_MS = 200
const OLDER_TOKENS = 200
const here = import.meta.dirname
const source = path.join(here, 'crash-child.ts')
const flags = ['--disable-warning=ExperimentalWarning']

export type RoundsResult = { rounds: number; answers: number; problems: string[] }

/**
 * Runs rounds in which a busy process is killed with kill -9. After each one, the vault is opened, checked and compared
 * with the acknowledged requests.
 */
export async function runCrashRounds(options: {
  rounds: number
  seed: number
  folder: string
  max_delay_ms: number
  /** The minimum number of requests that succeed before the kill of each round. */
  answers?: number
  /** The bundle of the program to kill, which starts in a third of the time of its sources. */
  program?: string
  print?: (line: string) => void
}): Promise<RoundsResult> {
  const { rounds, folder, max_delay_ms, answers = 5, program = source, print = () => {} } = options
  const random = createRandom(options.seed)
  const dataDir = path.join(folder, 'data')
  const backup = path.join(folder, 'first.coffer-backup')
  const older = path.join(folder, 'older')
  const key = await prepareVault(dataDir, backup)
  const traffic = new Traffic(key)
  const problems: string[] = []
  for (let round = 0; round < rounds; round++) {
    const kind = kinds[round % kinds.length] as CrashKind
    if (kind === 'open older' && !fs.existsSync(older)) await prepareOlderVault(older)
    const out = path.join(folder, `out-${round}`)
    const migrating = path.join(out, 'migrating.db')
    fs.mkdirSync(out)
    fs.copyFileSync(path.join(dataDir, name, 'vault.db'), migrating)
    fs.copyFileSync(path.join(dataDir, name, 'vault.json'), path.join(out, 'vault.json'))
    const order = { dataDir, name, protection, out, backup, older, migrating }
    const { child, url } = await startChild(program, kind, order)
    const ended = once(child, 'exit')
    const more = url === undefined ? undefined : traffic.waitForAnswers(answers)
    const running = url === undefined ? undefined : traffic.runClients(url, 8)
    await Promise.race([more, ended])
    const after = Math.round(random() * max_delay_ms)
    await new Promise((resolve) => setTimeout(resolve, after))
    const alive = child.exitCode === null
    child.kill('SIGKILL')
    await ended
    await running
    await killOpening(program, order, random() * MAX_OPENING_MS)
    const found = alive ? await checkVault(kind, order, traffic) : [`${kind} ended by itself`]
    print(`round ${round + 1}: ${kind}, killed after ${after} ms, ${traffic.answers} answers so far`)
    for (const problem of found) print(`  PROBLEM: ${problem}`)
    problems.push(...found.map((problem) => `round ${round + 1} (${kind}): ${problem}`))
    fs.rmSync(out, { recursive: true })
  }
  return { rounds, answers: traffic.answers, problems }
}

/** Creates a vault, a backup of it, and a key that may do everything with tokens. */
async function prepareVault(dataDir: string, backup: string): Promise<string> {
  const { vault } = await createVault({ dataDir, name, protection })
  const permissions = ['token:create', 'token:read', 'token:update', 'token:delete']
  const rules = [{ priority: 1, container: '/', transform: 'reveal', permissions }]
  const made = await vault.engine.call('applications.create', { name: 'Soak', type: 'private', rules }, owner)
  await backUpOpenVault(vault, { dataDir, file: backup })
  vault.lock()
  return (made.output as { key: string }).key
}

/** Creates a vault of the first version, with tokens. Its file cannot shrink before it is rewritten. */
async function prepareOlderVault(dataDir: string): Promise<void> {
  const { vault } = await createVault({ dataDir, name, protection })
  const master = Buffer.from(vault.withMaster((secret) => secret))
  for (let number = 0; number < OLDER_TOKENS; number++) {
    const token = { id: `older-${number}`, type: 'token', data: 'older', metadata: { number: `${number}` } }
    await vault.engine.call('tokens.create', token, owner)
  }
  vault.lock()
  toFirstFormat({ file: vault.files.database, master })
}

/** Kills a second process while it opens the vault of the first one. */
async function killOpening(program: string, order: Omit<ChildOrder, 'work'>, after: number): Promise<void> {
  const { child } = await startChild(program, 'open', order)
  const ended = once(child, 'exit')
  await new Promise((resolve) => setTimeout(resolve, after))
  child.kill('SIGKILL')
  await ended
}

async function startChild(
  program: string,
  kind: CrashKind,
  order: Omit<ChildOrder, 'work'>,
): Promise<{ child: ChildProcess; url?: string }> {
  const args =
    kind === 'serve'
      ? [
          path.join(here, '..', '..', 'electron', 'cli', 'run.mjs'),
          'serve',
          '--data-dir',
          order.dataDir,
          '--port',
          '0',
          '--json',
        ]
      : [program, JSON.stringify({ ...order, work: kind })]
  const { PATH, HOME, TMPDIR } = process.env
  const child = spawn(process.execPath, [...flags, ...args], {
    env: {
      PATH,
      HOME,
      TMPDIR,
      COFFER_PASSPHRASE: protection.passphrase,
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of readline.createInterface({ input: child.stdout })) {
    return { child, ...(JSON.parse(line) as { url?: string }) }
  }
  throw new Error(`${kind} did not start`)
}

/** Opens the vault of the killed process, and returns its problems. */
async function checkVault(
  kind: CrashKind,
  order: Omit<ChildOrder, 'work'>,
  traffic: Traffic,
): Promise<string[]> {
  const problems: string[] = []
  const vault = await openVault({ dataDir: order.dataDir, name, with: protection })
  const master = Buffer.from(vault.withMaster((secret) => secret))
  try {
    await compareTokens(vault, traffic, problems)
    await checkReads(vault, traffic, problems)
    await checkOpened(vault, order.dataDir, problems)
    if (kind === 'open older') await checkOlder(order.out, problems)
    if (kind === 'backup') checkBackups(order.out, master, problems)
    if (kind === 'restore') await checkCopies(order.out, problems)
    if (kind === 'migrate') checkMigrated(order.migrating, master, problems)
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error))
  }
  vault.lock()
  if (kind === 'change protection') await checkOldHeader(vault, order, problems)
  const left = fs.readdirSync(vault.files.folder).filter((each) => !each.endsWith('.tmp'))
  checkDatabase(vault.files.database, deriveDatabaseKey(master))
  if (left.sort().join() !== 'vault.db,vault.db-commits,vault.json')
    problems.push(`left behind: ${left.join()}`)
  return problems
}

async function compareTokens(vault: OpenVault, traffic: Traffic, problems: string[]): Promise<void> {
  const readToken = async (id: string): Promise<string | null> => {
    try {
      const { output } = await vault.engine.call('tokens.reveal', { id }, owner)
      return (output as { data: string }).data
    } catch (error) {
      if (error instanceof CofferError && error.code === 'not_found') return null
      throw error
    }
  }
  for (const [id, { answered, maybe }] of traffic.known) {
    const found = await readToken(id)
    if (!traffic.isPossible(id, found)) {
      problems.push(`${id} is ${found}; answered was ${answered}, perhaps ${maybe.join(' or ')}`)
    }
    traffic.setKnown(id, found)
  }
  for (const [id, at] of traffic.expiring) {
    const before = Date.now()
    const found = await readToken(id)
    if (found !== null && before >= at) problems.push(`${id} outlived its time`)
    if (found === null && Date.now() < at) problems.push(`${id} went before its time`)
    if (before >= at) traffic.expiring.delete(id)
  }
}

/** Checks that everything written between two openings exists. */
async function checkOpened(vault: OpenVault, dataDir: string, problems: string[]): Promise<void> {
  const answered = getAnsweredFile(dataDir)
  if (!fs.existsSync(answered)) return
  for (const id of fs.readFileSync(answered, 'utf8').split('\n').filter(Boolean)) {
    const found = await vault.engine.call('tokens.get', { id }, owner).then(
      () => true,
      () => false,
    )
    if (!found) problems.push(`${id} in ${dataDir} is lost`)
  }
}

/** Checks that every copy of the vault of the first version opens, with all its tokens. */
async function checkOlder(out: string, problems: string[]): Promise<void> {
  for (const each of fs.readdirSync(out).filter((entry) => /^older-\d+$/.test(entry))) {
    const dataDir = path.join(out, each)
    const vault = await openVault({ dataDir, name, with: protection })
    await checkOpened(vault, dataDir, problems)
    for (let number = 0; number < OLDER_TOKENS; number++) {
      const { output } = await vault.engine.call('tokens.reveal', { id: `older-${number}` }, owner)
      if ((output as { data: string }).data !== 'older') problems.push(`${each}: a token has changed`)
    }
    vault.lock()
  }
}

/** Checks that the header from before the round no longer opens the changed vault. */
async function checkOldHeader(
  { files }: OpenVault,
  { dataDir, out }: Omit<ChildOrder, 'work'>,
  problems: string[],
): Promise<void> {
  const header = path.join(out, 'vault.json')
  if (readHeader(header).check === readHeader(files.header).check) return
  const copy = path.join(out, 'old')
  fs.cpSync(dataDir, copy, { recursive: true })
  fs.copyFileSync(header, path.join(copy, name, 'vault.json'))
  try {
    const vault = await openVault({ dataDir: copy, name, with: protection })
    vault.lock()
    problems.push('an old header opens the database')
  } catch (error) {
    if (!(error instanceof CofferError) || error.code !== 'damaged') throw error
  }
}

/** Checks that every plaintext read has its record, and that no record occurs twice (case X-44). */
async function checkReads(vault: OpenVault, { reads }: Traffic, problems: string[]): Promise<void> {
  const seen = new Set<string>()
  for (let start: string | undefined; ; ) {
    const input = { size: 1000, action: 'tokens.get', ...(start && { start }) }
    const { output } = await vault.engine.call('logs.list', input, owner)
    const { data, pagination } = output as { data: { trace_id: string }[]; pagination: { next?: string } }
    for (const { trace_id } of data) {
      if (seen.has(trace_id)) problems.push(`the read ${trace_id} is in the log twice`)
      seen.add(trace_id)
    }
    start = pagination.next
    if (start === undefined) break
  }
  for (const trace of reads) if (!seen.has(trace)) problems.push(`the read ${trace} is not in the log`)
}

function checkBackups(out: string, master: Buffer, problems: string[]): void {
  for (const file of fs.readdirSync(out).filter((each) => /^\d+$/.test(each))) {
    try {
      readBackupFile(path.join(out, file), { master })
    } catch (error) {
      problems.push(`backup ${file}: ${error instanceof Error ? error.message : ''}`)
    }
  }
}

async function checkCopies(out: string, problems: string[]): Promise<void> {
  for (const copy of listVaults(out)) {
    const vault = await openVault({ dataDir: out, name: copy, with: protection })
    const { output } = await vault.engine.call('applications.list', {}, owner)
    if ((output as { data: unknown[] }).data.length !== 1) problems.push(`${copy} is not what was backed up`)
    vault.lock()
  }
}

function checkMigrated(file: string, master: Buffer, problems: string[]): void {
  const key = deriveDatabaseKey(master)
  const db = openDatabase(file, key, { create: false })
  const version = Number(db.pragma('user_version', { simple: true }))
  const countRows = (sql: string) => Number(db.prepare(sql).pluck().get())
  if (version > migrations.length) {
    const wrong = countRows(`SELECT count(*) FROM copied WHERE round <> ${version}`)
    const missing = countRows('SELECT count(*) FROM token') - countRows('SELECT count(*) FROM copied')
    if (wrong !== 0 || missing !== 0) problems.push(`version ${version} was migrated by half`)
  }
  migrateDatabase(db, [...migrations, ...createRewrites(migrations.length, version + 1)])
  db.close()
  checkDatabase(file, key)
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '100' }, seed: { type: 'string' } },
  })
  const seed = Number(values.seed ?? Date.now() % 1_000_000)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-crash-'))
  console.log(`seed ${seed}, in ${folder}`)
  const print = (line: string) => console.log(line)
  const result = await runCrashRounds({
    rounds: Number(values.rounds),
    seed,
    folder,
    max_delay_ms: 1500,
    print,
  })
  console.log(
    `${result.rounds} rounds, ${result.answers} answered writes, ${result.problems.length} problems`,
  )
  for (const problem of result.problems) console.log(problem)
  if (result.problems.length > 0) process.exitCode = 1
  else fs.rmSync(folder, { recursive: true })
}
