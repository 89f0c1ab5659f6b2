import { expect, test } from 'vitest'
import { isThorough } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { runSoak } from './soak.ts'

test('mixed traffic with backups and new keys loses no data and leaks no resources', {
  tags: 'thorough',
  timeout: 120_000,
}, async () => {
  const { samples, maintenance, problems } = await runSoak({
    folder: createTempFolder(),
    seconds: isThorough ? 2 : 0.5,
    sample_seconds: isThorough ? 1 : 0.25,
    maintenance_seconds: isThorough ? 0.5 : 0.25,
    in_flight: 4,
  })
  expect(problems).toEqual([])
  expect(samples.at(-1)?.requests).toBeGreaterThan(10)
  expect(Object.keys(maintenance)).toContain('host.backup')
})
