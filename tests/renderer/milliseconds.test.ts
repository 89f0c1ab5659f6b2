import { expect, test } from 'vitest'
import { formatDuration } from '../../renderer/ui/time/milliseconds.ts'

test.each([
  [0, '< 0.1 ms'],
  [0.049, '< 0.1 ms'],
  [0.05, '0.1 ms'],
  [1.26, '1.3 ms'],
  [250, '250.0 ms'],
  [999.94, '999.9 ms'],
  [999.96, '1.00 s'],
  [1532.6, '1.53 s'],
  [72_000, '72.00 s'],
])('%d ms is formatted as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})
