import { expect, test, vi } from 'vitest'
import { Interrupted } from '../../electron/cli/terminal/interrupted.ts'
import { formatProgress, runStoppable } from '../../electron/cli/terminal/progress.ts'

const sample = { done: 50_000, total: 200_000, added: 40_000, elapsed_ms: 20_000 }

test.each([
  [sample, 'token', '25 %, 50,000 of 200,000 tokens, 2,000/s, 75 s left'],
  [{ ...sample, total: 2_000_000 }, 'token', '2 %, 50,000 of 2,000,000 tokens, 2,000/s, 17 min left'],
  [{ ...sample, elapsed_ms: 500 }, 'token', '25 %, 50,000 of 200,000 tokens'],
  [sample, 'byte', '25 %, 48.8 KiB of 195 KiB, 1.9 KiB/s, 75 s left'],
  [sample, 'step', '25 %, 75 s left'],
  [{ ...sample, done: 200_000 }, 'step', '100 %'],
  [{ ...sample, total: 0 }, 'step', '48.8 KiB'],
] as const)('progress of %j in %ss', (progress, unit, text) => {
  expect(formatProgress(progress, unit)).toBe(text)
})

test('work that does not stop at once after Ctrl-C says what the next one does', async () => {
  const write = vi.spyOn(process.stderr, 'write')
  const stopped = runStoppable(async (signal) => {
    process.emit('SIGINT', 'SIGINT')
    await vi.waitFor(() => expect(write.mock.calls.join('')).toContain('Press Ctrl-C again'), 30_000)
    signal.throwIfAborted()
  })
  await expect(stopped).rejects.toThrow(Interrupted)
  write.mockRestore()
})
