// `npm run simulation -- --seeds 100`: a vault with its disk, clock, network and callers in one process, under one seed.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { buildRecorder } from '../power-loss/record-session.ts'
import type { DiskFolders } from './faulty-disk.ts'
import type { SeedResult } from './run-seed.ts'

export type SimulationOrder = DiskFolders & {
  readonly seeds: readonly number[]
  readonly steps: number
  /** The operations that the seeds call in turn; all by default. */
  readonly operations?: readonly string[] | undefined
  /** Each is made in turn, until a seed has found it. */
  readonly mistakes: readonly string[]
}

type SimulationInput = Pick<SimulationOrder, 'seeds' | 'steps' | 'operations'> & {
  readonly mistakes?: readonly string[]
  readonly recorder: string
  readonly folder: string
}

/** Runs seeds in a process of their own, one after another, and yields their results. */
export async function* runSimulation({
  recorder,
  folder,
  mistakes = [],
  ...order
}: SimulationInput): AsyncGenerator<SeedResult> {
  const own = fs.mkdtempSync(path.join(folder, 'run-'))
  const folders = {
    disk: path.join(own, 'disk'),
    recording: path.join(own, 'recording'),
    faults: path.join(own, 'faults'),
  }
  fs.writeFileSync(folders.recording, '')
  fs.writeFileSync(folders.faults, Buffer.alloc(20))
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      path.join(import.meta.dirname, 'simulation-child.ts'),
      JSON.stringify({ ...order, mistakes, ...folders } satisfies SimulationOrder),
    ],
    {
      env: {
        ...process.env,
        ...{ LD_PRELOAD: recorder, RECORDED_FOLDER: folders.disk, RECORDING: folders.recording },
        FAULTS: folders.faults,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  try {
    for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line) as SeedResult
  } finally {
    child.kill('SIGKILL')
    fs.rmSync(own, { recursive: true, force: true })
  }
}

/** Describes what a seed has shown, with the command that shows it again. */
export function describeProblems(
  { seed, problems, trace }: SeedResult,
  steps: number,
  operations: readonly string[] = [],
): string {
  const named = operations.map((each) => ` --operation ${each}`).join('')
  const again = `npm run simulation -- --seed ${seed} --steps ${steps}${named}`
  return [`seed ${seed}, after these steps:`, ...trace, ...problems, `To repeat it: ${again}`].join('\n')
}

async function runCommand({
  seeds,
  steps,
  operations,
  mistakes,
}: Omit<SimulationOrder, keyof DiskFolders>): Promise<number> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-simulation-'))
  const built = buildRecorder(folder)
  if ('reason' in built) throw new Error(`Nothing can be simulated, because ${built.reason}.`)
  let [done, failed] = [0, 0]
  for await (const result of runSimulation({ ...built, folder, seeds, steps, operations, mistakes })) {
    done++
    if (result.problems.length > 0) {
      failed++
      console.log(describeProblems(result, steps, operations))
    }
    if (seeds.length === 1) console.log(`seed ${result.seed}: ${result.digest}`)
    else if (done % 50 === 0) console.log(`${done} of ${seeds.length} seeds, ${failed} with problems`)
  }
  fs.rmSync(folder, { recursive: true })
  if (done < seeds.length) throw new Error(`The process ended after ${done} seeds.`)
  return failed
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '100' },
      seed: { type: 'string' },
      first: { type: 'string', default: '1' },
      steps: { type: 'string', default: '150' },
      operation: { type: 'string', multiple: true },
      mistake: { type: 'string', multiple: true },
    },
  })
  const all = Array.from({ length: Number(values.seeds) }, (_, at) => Number(values.first) + at)
  const seeds = values.seed === undefined ? all : [Number(values.seed)]
  const { steps, operation: operations, mistake: mistakes = [] } = values
  if ((await runCommand({ seeds, steps: Number(steps), operations, mistakes })) > 0) process.exitCode = 1
}
