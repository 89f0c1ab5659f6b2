import { expect, test } from 'vitest'
import { formatDuration, formatMilliseconds } from '../../renderer/ui/time/milliseconds.ts'

test.each([
  [0, '< 0.1'],
  [0.049, '< 0.1'],
  [0.05, '0.1'],
  [1.26, '1.3'],
  [250, '250.0'],
])('%d ms is formatted as %s', (ms, text) => {
  expect(formatMilliseconds(ms)).toBe(text)
})

test('a duration of 0 ms is formatted as an empty string', () => {
  expect([formatDuration(0), formatDuration(0.049), formatDuration(1.26)]).toEqual(['', '< 0.1 ms', '1.3 ms'])
})
