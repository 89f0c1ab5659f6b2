import { expect, test } from 'vitest'
import { isThorough } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { runWebhookCrashes } from './webhook-crashes.ts'

test('W-02 X-55 after kill -9 no event is lost, and none of a rolled-back write is sent', async () => {
  const { answered, delivered, problems } = await runWebhookCrashes({
    rounds: isThorough ? 5 : 1,
    seed: 55,
    folder: createTempFolder(),
    max_delay_ms: 300,
    answers: 25,
  })
  expect(problems).toEqual([])
  expect(answered).toBeGreaterThan(20)
  expect(delivered).toBeGreaterThanOrEqual(2 * answered)
}, 120_000)
