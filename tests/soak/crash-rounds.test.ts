import { expect, test } from 'vitest'
import { tempFolder } from '../vault.ts'
import { crashRounds } from './crash-rounds.ts'

test('X-24 kill -9 in create, update, delete, expiry, rotate, backup, restore, migrate loses no answered write', async () => {
  const { answers, problems } = await crashRounds({
    rounds: 6,
    seed: 24,
    folder: tempFolder(),
    longest_ms: 500,
  })
  expect(problems).toEqual([])
  expect(answers).toBeGreaterThan(20)
}, 120_000)
