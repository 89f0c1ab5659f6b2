import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isThorough } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { Bench, createEmptyVault } from './model-run.ts'
import { story } from './model-steps.ts'

// `npm run fuzz` runs more steps. To repeat a failure, pass --seed with the seed that it printed.
const minSteps = Number(process.env.COFFER_FUZZ_STEPS ?? (isThorough ? 3000 : 150))
const seed = process.env.COFFER_FUZZ_SEED

test(
  'P-05 P-09 T-10 T-12 L-03 O-04 random calls give the results of the model',
  async () => {
    const empty = createEmptyVault(createTempFolder())
    let steps = 0
    const asTheModel = fc.asyncProperty(story, async (story) => {
      const bench = new Bench(empty)
      try {
        for (const step of story) steps += await bench.runStep(step)
      } finally {
        bench.close()
      }
    })
    for (let round = 0; steps < minSteps; round++) {
      await fc.assert(asTheModel, {
        numRuns: 10,
        // Limits the time spent on shrinking, so that a failure is reported soon.
        interruptAfterTimeLimit: 60_000,
        ...(seed !== undefined && { seed: Number(seed) + round }),
      })
    }
    expect(steps).toBeGreaterThanOrEqual(minSteps)
  },
  Math.max(180_000, minSteps * 20),
)
