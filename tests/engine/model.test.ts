import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isThorough } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { Bench, createEmptyVault } from './model-run.ts'
import { story } from './model-steps.ts'

// `npm run fuzz` takes more steps; its --seed repeats what a failure printed.
const least = Number(process.env.COFFER_FUZZ_STEPS ?? (isThorough ? 3000 : 150))
const seed = process.env.COFFER_FUZZ_SEED

test(
  'P-05 P-09 T-10 T-12 L-03 O-04 whatever is done in whatever order, the vault answers as the rules say',
  async () => {
    const empty = createEmptyVault(createTempFolder())
    let steps = 0
    const asTheModel = fc.asyncProperty(story, async (story) => {
      const bench = new Bench(empty)
      try {
        for (const step of story) steps += await bench.step(step)
      } finally {
        bench.close()
      }
    })
    for (let round = 0; steps < least; round++) {
      await fc.assert(asTheModel, {
        numRuns: 10,
        // A failure is told in good time, in as few steps as were found by then.
        interruptAfterTimeLimit: 60_000,
        ...(seed !== undefined && { seed: Number(seed) + round }),
      })
    }
    expect(steps).toBeGreaterThanOrEqual(least)
  },
  Math.max(180_000, least * 20),
)
