import { expect, test } from 'vitest'
import { isWholeId, mayBeId, rank } from '../../renderer/app/frame/palette-rank.ts'

const entry = (label: string, group = 'Go to', words = '') => ({ id: label, label, group, words })
const labels = (typed: string, entries: ReturnType<typeof entry>[]) =>
  rank(entries, typed).map(({ label }) => label)

test('ranks an exact name above a prefix, a word, a part and other words', () => {
  const entries = [
    entry('Dialog', 'a'),
    entry('Catalog', 'b'),
    entry('The log', 'c'),
    entry('Logs', 'd'),
    entry('Log', 'e'),
    entry('Requests', 'f', 'log records'),
    entry('Nothing', 'g'),
  ]
  expect(labels('log', entries)).toEqual(['Log', 'Logs', 'The log', 'Dialog', 'Catalog', 'Requests'])
})

test('finds a command whether its words are joined or not', () => {
  const entries = [entry('Restore a backup'), entry('Back up now')]
  expect(labels('backup', entries)).toEqual(['Back up now', 'Restore a backup'])
})

test('keeps groups together, and their order while nothing is typed', () => {
  const entries = [
    entry('Payments', 'Applications'),
    entry('Look as Payments', 'Look as'),
    entry('Pay later', 'Applications'),
  ]
  expect(labels('pay', entries)).toEqual(['Payments', 'Pay later', 'Look as Payments'])
  expect(labels('', entries)).toEqual(entries.map(({ label }) => label))
  expect(labels('open payments', [entry('Payments', 'Applications', 'open')])).toEqual(['Payments'])
})

test('accepts as an id only what could be one', () => {
  expect(isWholeId('5f0c1c1e-0000-4000-8000-000000000000')).toBe(true)
  expect(['restore', 'rotate', 'docs', 'back up 2', 'a1', 'x'.repeat(400)].filter(mayBeId)).toEqual([])
  expect(mayBeId('order-77')).toBe(true)
})
