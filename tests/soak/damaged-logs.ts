// `npm run damaged-logs -- --places 1000`: kills a vault in use, damages its log at random positions, and opens it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import readline from 'node:readline'
import { parseArgs } from 'node:util'
import { getVaultFiles } from '../../electron/host/files/vault-files.ts'
import { createVault } from '../../electron/host/vault/create-vault.ts'
import { createRandom } from './create-random.ts'
import { chooseDamage, openDamaged } from './damage-log.ts'
import type { WriterOrder } from './damaged-logs-child.ts'

const name = 'default'
const source = path.join(import.meta.dirname, 'damaged-logs-child.ts')
const protection = {
  passphrase: 'correct horse',
  argon2id: { memory_kib: 64, iterations: 1, parallelism: 1 },
}

export type DamageResult = { tries: number; refused: number; opened: number; problems: string[] }

/**
 * Damages the log of vaults that were killed during writes. Each vault must be rejected without any change, or open
 * with every acknowledged write.
 */
export async function runDamagedLogs(options: {
  places: number
  kills: number
  seed: number
  folder: string
  /** The bundle of the program to kill, which starts in a third of the time of its sources. */
  program?: string
  print?: (line: string) => void
}): Promise<DamageResult> {
  const { places, kills, seed, folder, program = source, print = () => {} } = options
  const random = createRandom(seed)
  const result: DamageResult = { tries: 0, refused: 0, opened: 0, problems: [] }
  const dataDir = path.join(folder, 'data')
  const { vault } = await createVault({ dataDir, name, protection })
  vault.lock()
  const answered = new Map<string, string | null>()
  for (let kill = 0; kill < kills; kill++) {
    await writeAndKill(program, { dataDir, name, protection }, answered, Math.round(200 + random() * 600))
    const { size } = fs.statSync(`${getVaultFiles(dataDir, name).database}-wal`)
    print(`kill ${kill + 1}: ${answered.size} answered writes, a log of ${size} bytes`)
    const killed = { dataDir, name, with: protection, answered }
    for (let place = 0; place < places / kills; place++) {
      const copy = path.join(folder, `copy-${kill}-${place}`)
      const { outcome, problem } = await openDamaged(killed, copy, chooseDamage(size, random))
      result.tries++
      result[outcome]++
      if (problem !== undefined) result.problems.push(problem)
    }
  }
  return result
}

/** Lets another process write until it is killed, and collects its acknowledged writes. */
async function writeAndKill(
  program: string,
  order: WriterOrder,
  answered: Map<string, string | null>,
  ms: number,
): Promise<void> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', program, JSON.stringify(order)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = once(child, 'exit')
  let isTimed = false
  for await (const line of readline.createInterface({ input: child.stdout })) {
    const [id, data] = JSON.parse(line) as [string, (string | null)?]
    if (data === undefined) answered.delete(id)
    else answered.set(id, data)
    if (!isTimed) setTimeout(() => child.kill('SIGKILL'), ms)
    isTimed = true
  }
  await ended
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      places: { type: 'string', default: '1000' },
      kills: { type: 'string', default: '5' },
      seed: { type: 'string' },
    },
  })
  const seed = Number(values.seed ?? Date.now() % 1_000_000)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-damaged-'))
  console.log(`seed ${seed}, in ${folder}`)
  const print = (line: string) => console.log(line)
  const result = await runDamagedLogs({
    places: Number(values.places),
    kills: Number(values.kills),
    seed,
    folder,
    print,
  })
  const { tries, refused, opened, problems } = result
  console.log(`${tries} places, ${refused} refused, ${opened} opened whole, ${problems.length} problems`)
  for (const problem of problems) console.log(problem)
  if (problems.length > 0) process.exitCode = 1
  else fs.rmSync(folder, { recursive: true })
}
