import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findBundle } from '../find-bundle.ts'
import { isThorough } from '../thorough.ts'
import { checkPowerCuts } from './power-loss/power-loss.ts'
import { buildRecorder, readWholeRecording, recordSession } from './power-loss/record-session.ts'
import type { RecordedChange } from './power-loss/recorded-change.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-power-loss-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))
const recording = path.join(folder, 'recording')
const kept = path.join(import.meta.dirname, '..', '..', 'out', 'power-loss')
const built = buildRecorder(folder)
const listSeeds = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

/** Why nothing can be recorded, for the names of the tests. */
const suffix = 'reason' in built ? ` (skipped: ${built.reason})` : ''
let changes: RecordedChange[]
beforeAll(() => {
  if ('reason' in built) return
  recordSession(recording, {
    ...built,
    program: findBundle('power-loss-child'),
    seed: 77,
    steps: 25,
    phases: 3,
    isLarge: false,
  })
  changes = readWholeRecording(recording)
})

test.skipIf('reason' in built)(
  `X-77 a power cut loses no acknowledged write, whatever the disk has kept of unsynced ones${suffix}`,
  async () => {
    const problems = await checkPowerCuts(recording, changes, listSeeds(isThorough ? 500 : 50))
    if (problems.length > 0) fs.cpSync(recording, kept, { recursive: true, force: true })
    expect(problems, `To repeat one: npm run power-loss -- --recording ${kept} --seed <seed>`).toEqual([])
  },
  300_000,
)

test.skipIf('reason' in built)(`X-77 without syncs, the same power cuts lose writes${suffix}`, async () => {
  const unsynced = changes.filter(({ kind }) => kind !== 'synced')
  expect(await checkPowerCuts(recording, unsynced, listSeeds(10))).not.toEqual([])
})
