import { expect, test } from 'vitest'
import { sanitizeText } from '../../electron/cli/terminal/printable.ts'

test('nothing in a name moves, hides or reverses what a terminal shows beside it', () => {
  for (const each of ['\n', '\r', '\u001b', '\u2028', '\u202e', '\u2066', '\u2069'])
    expect(sanitizeText(`a${each}b`)).toBe('a\ufffdb')
  expect(sanitizeText('Zahlung – مرحبا 🍫')).toBe('Zahlung – مرحبا 🍫')
})
