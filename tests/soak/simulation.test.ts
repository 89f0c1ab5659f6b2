import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { catalogue } from '../../electron/engine/index.ts'
import { isThorough, pickSome } from '../thorough.ts'
import { buildRecorder } from './power-loss/record-session.ts'
import { excluded } from './simulation/excluded.ts'
import { mistakes } from './simulation/mistakes.ts'
import type { SeedResult } from './simulation/run-seed.ts'
import { describeProblems, runSimulation } from './simulation/simulation.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-simulation-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))
const built = buildRecorder(folder)
const listSeeds = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

/** Why nothing can be simulated, for the names of the tests. */
const suffix = 'reason' in built ? ` (skipped: ${built.reason})` : ''

async function runSeeds(
  seeds: readonly number[],
  steps: number,
  some?: readonly string[],
): Promise<SeedResult[]> {
  if ('reason' in built) throw new Error(built.reason)
  const results: SeedResult[] = []
  for await (const result of runSimulation({ ...built, folder, seeds, steps, mistakes: some ?? [] }))
    results.push(result)
  return results
}

const STEPS = 100
const reasons = Object.entries(excluded).map(([name, reason]) => `${name}: ${reason}`)

test.skipIf('reason' in built)(
  `X-77 simulation: seeds show no problem, and call every operation with success but ${reasons.join(', ')}${suffix}`,
  async () => {
    const succeeded = new Set(Object.keys(excluded))
    const problems: string[] = []
    // More seeds than these run only if an operation has not succeeded yet.
    for (
      let first = 0;
      first < 40 && (first < (isThorough ? 40 : 10) || succeeded.size < catalogue.size);
      first += 10
    ) {
      const results = await runSeeds(
        listSeeds(10).map((seed) => first + seed),
        STEPS,
      )
      expect(results).toHaveLength(10)
      for (const result of results) {
        for (const name of Object.keys(result.succeeded)) succeeded.add(name)
        if (result.problems.length > 0) problems.push(describeProblems(result, STEPS))
      }
    }
    expect(problems).toEqual([])
    expect([...catalogue.keys()].filter((name) => !succeeded.has(name))).toEqual([])
  },
  900_000,
)

test.skipIf('reason' in built)(
  `X-77 simulation: a seed gives the same steps each time, in any process and after any other seed${suffix}`,
  async () => {
    const [first, , again] = await runSeeds([77, 78, 77], 40)
    const [alone] = await runSeeds([77], 40)
    expect(first?.digest).toMatch(/^[0-9a-f]{16}$/)
    expect([again?.digest, alone?.digest]).toEqual([first?.digest, first?.digest])
  },
  300_000,
)

const names = Object.keys(mistakes)

test.skipIf('reason' in built)(
  `simulation: each of ${names.length} mistakes made on purpose is found${suffix}`,
  async () => {
    const made = pickSome(names, 4)
    const results = await runSeeds(listSeeds(30), STEPS, made)
    const found = results.filter(({ problems }) => problems.length > 0).map(({ mistake }) => mistake)
    expect(found).toEqual(made)
  },
  900_000,
)
