// `npm run power-loss -- --seeds 5000`: records every write and sync of a session, and opens what power cuts at random
// moments could leave.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { createRandom } from '../create-random.ts'
import { checkImage } from './check-image.ts'
import { Disk } from './disk.ts'
import type { Mark } from './marks.ts'
import { AnswerModel } from './model.ts'
import {
  buildRecorder,
  DATA,
  MARKS,
  readWholeRecording,
  recordOpening,
  recordSession,
} from './record-session.ts'
import { type RecordedChange, readPaths } from './recorded-change.ts'

const CUTS_PER_RECORDING = 250
/** How often the power is cut while what a power cut left is opened. One in so many openings is recorded. */
const CUTS_PER_OPENING = 10
/** One in so many sessions is large. */
const LARGE_EVERY = 4

type CutOptions = {
  /** What was answered before the recording. */
  readonly model?: AnswerModel
  /** The number of changes that are always there. */
  readonly first?: number
  /** If set, some openings after a power cut are recorded, and their power is cut too. */
  readonly recorder?: string
}

/**
 * Cuts the power of a recording once for each seed, which alone decides the moment and what is left. Opens what is
 * left, and returns what contradicts the answers until then.
 */
export async function checkPowerCuts(
  folder: string,
  changes: readonly RecordedChange[],
  seeds: readonly number[],
  { model = new AnswerModel(), first = 0, recorder }: CutOptions = {},
): Promise<string[]> {
  const problems: string[] = []
  const disk = new Disk(changes)
  const marks = findMarks(changes, disk.getPath(MARKS))
  const cuts = seeds.map((seed) => {
    const random = createRandom(seed)
    const any = first + Math.floor(random() * (changes.length - first + 1))
    // Half of the cuts happen just after a mark, such as an answer.
    const mark = random() < 0.5 ? changes.findIndex((change, index) => index >= any && marks.has(change)) : -1
    return { seed, random, at: mark === -1 ? any : mark + 1 }
  })
  let done = 0
  for (const { seed, random, at } of cuts.sort((a, b) => a.at - b.at)) {
    for (const change of changes.slice(done, at)) {
      disk.applyChange(change)
      const mark = marks.get(change)
      if (mark) model.addMark(mark)
    }
    done = at
    const image = path.join(folder, `image-${seed}`)
    disk.writeImage(image, random)
    const isCutAgain =
      recorder !== undefined && model.known.has('passphrase') && seed % CUTS_PER_OPENING === 0
    const foundAgain = isCutAgain ? await cutOpening(image, model, seed, recorder) : []
    const found = [...(await checkImage(path.join(image, DATA), model)), ...foundAgain]
    fs.rmSync(image, { recursive: true })
    problems.push(...found.map((problem) => `seed ${seed}, after change ${at}: ${problem}`))
  }
  return problems
}

/** Cuts the power while what a power cut left is opened. */
async function cutOpening(
  image: string,
  model: AnswerModel,
  seed: number,
  recorder: string,
): Promise<string[]> {
  const folder = `${image}-opening`
  const first = recordOpening(folder, { recorder, image, passphrases: model.passphrases })
  const seeds = Array.from({ length: CUTS_PER_OPENING }, (_, index) => seed + index)
  const problems = await checkPowerCuts(folder, readWholeRecording(folder), seeds, { model, first })
  fs.rmSync(folder, { recursive: true })
  return problems.map((problem) => `opened again, ${problem}`)
}

/** Finds the writes to the file of marks. */
function findMarks(changes: readonly RecordedChange[], file: string): Map<RecordedChange, Mark> {
  const created = changes.find((change) => change.kind === 'create' && readPaths(change)[0] === file)
  const writes = changes.filter(({ kind, inode }) => kind === 'write' && inode === created?.inode)
  return new Map(writes.map((write) => [write, JSON.parse(write.data.toString()) as Mark]))
}

/** Records sessions and cuts their power. Returns the number of problems, which are printed. */
async function runSessions(folder: string, first: number, count: number): Promise<number> {
  const built = buildRecorder(folder)
  if ('reason' in built) throw new Error(`Nothing can be recorded, because ${built.reason}.`)
  let problems = 0
  for (let done = 0; done < count; done += CUTS_PER_RECORDING) {
    const recording = path.join(folder, `recording-${first + done}`)
    const isLarge = (done / CUTS_PER_RECORDING) % LARGE_EVERY === LARGE_EVERY - 1
    const phases = isLarge ? 1 : 3
    recordSession(recording, { ...built, seed: first + done, steps: 40, phases, isLarge })
    const length = Math.min(CUTS_PER_RECORDING, count - done)
    const seeds = Array.from({ length }, (_, index) => first + done + index)
    const found = await checkPowerCuts(recording, readWholeRecording(recording), seeds, built)
    problems += found.length
    console.log(`${done + length} of ${count} power cuts, ${problems} problems`)
    for (const problem of found) console.log(problem)
    if (found.length === 0) fs.rmSync(recording, { recursive: true })
    else console.log(`To repeat one: npm run power-loss -- --recording ${recording} --seed <seed>`)
  }
  return problems
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '1000' },
      seed: { type: 'string' },
      recording: { type: 'string' },
    },
  })
  const seed = Number(values.seed ?? Date.now() % 1_000_000)
  if (values.recording === undefined) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-power-loss-'))
    console.log(`seed ${seed}, in ${folder}`)
    const problems = await runSessions(folder, seed, Number(values.seeds))
    if (problems > 0) process.exitCode = 1
    else fs.rmSync(folder, { recursive: true })
  } else {
    const problems = await checkPowerCuts(values.recording, readWholeRecording(values.recording), [seed])
    console.log(problems.length > 0 ? problems.join('\n') : 'no problem')
    if (problems.length > 0) process.exitCode = 1
  }
}
