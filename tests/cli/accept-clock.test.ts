import { expect, test } from 'vitest'
import { makePastVault, passphrase } from '../past-vault.ts'
import { createTempFolder } from '../vault.ts'
import { serveInProcess } from './in-process.ts'

const env = { COFFER_PASSPHRASE: passphrase }

test('X-45 serve reports a clock far ahead, and --accept-clock deletes expired data', async () => {
  const dataDir = createTempFolder()
  await makePastVault(dataDir)
  /** Runs `serve` and returns the lines that it prints about the clock. */
  const readClockLines = async (...more: string[]) => {
    const { notes, stop } = await serveInProcess(['--data-dir', dataDir, '--json', ...more], env)
    expect(await stop()).toBe(0)
    return notes.split('\n').filter((line) => line.includes('clock'))
  }
  // Run it twice, because a restart does not confirm the clock.
  for (const _ of [1, 2]) {
    expect(await readClockLines()).toEqual([
      'The clock is 731 days ahead of when this vault was last in use. 1 token and 2 log records would be deleted as expired. Until you confirm the date, nothing is deleted. If the date is right, start Coffer with --accept-clock. If it is wrong, set the clock.',
    ])
  }
  for (const more of [['--accept-clock'], []]) expect(await readClockLines(...more)).toEqual([])
})
