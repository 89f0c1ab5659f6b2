import { expect, test } from 'vitest'
import { findBundle } from '../find-bundle.ts'
import { isThorough } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { runDamagedLogs } from './damaged-logs.ts'

const places = isThorough ? 20 : 4

test('X-41 after kill -9, a damaged log is rejected or loses no write', async () => {
  const { tries, problems } = await runDamagedLogs({
    places,
    kills: isThorough ? 2 : 1,
    seed: 41,
    folder: createTempFolder(),
    program: findBundle('damaged-logs-child'),
  })
  expect(problems).toEqual([])
  expect(tries).toBe(places)
}, 120_000)
