import { expect, test } from 'vitest'
import { findBundle } from '../find-bundle.ts'
import { isThorough } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { runCrashRounds } from './crash-rounds.ts'

test('X-24 X-44 kill -9 during any operation loses no acknowledged write', async () => {
  const { answers, problems } = await runCrashRounds({
    rounds: isThorough ? 10 : 1,
    seed: 24,
    folder: createTempFolder(),
    max_delay_ms: 300,
    // A single round needs a minimum number of requests; ten rounds have enough anyway.
    ...(!isThorough && { answers: 25 }),
    program: findBundle('crash-child'),
  })
  expect(problems).toEqual([])
  expect(answers).toBeGreaterThan(20)
}, 120_000)
