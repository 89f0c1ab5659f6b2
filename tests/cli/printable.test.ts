import { expect, test } from 'vitest'
import { sanitizeText } from '../../electron/cli/terminal/printable.ts'

test('sanitizeText replaces control characters and leaves other text unchanged', () => {
  for (const each of ['\n', '\r', '\u001b', '\u2028', '\u202e', '\u2066', '\u2069'])
    expect(sanitizeText(`a${each}b`)).toBe('a\ufffdb')
  expect(sanitizeText('Zahlung – مرحبا 🍫')).toBe('Zahlung – مرحبا 🍫')
})
