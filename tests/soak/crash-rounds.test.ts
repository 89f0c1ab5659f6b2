import { expect, test } from 'vitest'
import { bundled } from '../bundled.ts'
import { isThorough } from '../thorough.ts'
import { tempFolder } from '../vault.ts'
import { crashRounds } from './crash-rounds.ts'

test('X-24 X-44 kill -9 in create, read, update, delete, expiry, rotate, backup, restore, migrate, open, close loses nothing that was answered', async () => {
  const { answers, problems } = await crashRounds({
    rounds: isThorough ? 10 : 1,
    seed: 24,
    folder: tempFolder(),
    longest_ms: 300,
    // Ten rounds answer enough by themselves.
    ...(!isThorough && { answers: 25 }),
    program: bundled('crash-child'),
  })
  expect(problems).toEqual([])
  expect(answers).toBeGreaterThan(20)
}, 120_000)
