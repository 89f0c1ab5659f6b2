import { expect, test } from 'vitest'
import { makePastVault, passphrase } from '../past-vault.ts'
import { tempFolder } from '../vault.ts'
import { startCoffer } from './run-coffer.ts'

const env = { COFFER_PASSPHRASE: passphrase }

test('X-45 serve says that deleting waits because the clock is far ahead, and deletes with --accept-clock', async () => {
  const dataDir = tempFolder()
  await makePastVault(dataDir)
  const serve = (...more: string[]) =>
    startCoffer(['serve', '--data-dir', dataDir, '--port', '0', '--json', ...more], env)
  // Twice: a restart confirms nothing.
  for (const _ of [1, 2]) {
    const coffer = serve()
    expect(await coffer.line(/clock/)).toBe(
      'The clock is 731 days ahead of when this vault was last in use. 1 token and 2 log records would be deleted as expired. Until you confirm the date, nothing is deleted. If it is right, start Coffer with --accept-clock. If it is wrong, set it.',
    )
    await coffer.json()
    coffer.stop()
    expect(await coffer.ended).toBe(0)
  }
  for (const more of [['--accept-clock'], []]) {
    const coffer = serve(...more)
    await coffer.json()
    coffer.stop()
    expect(await coffer.ended).toBe(0)
    expect(coffer.lines.filter((line) => line.includes('clock'))).toEqual([])
  }
})
