import { expect, test } from 'vitest'
import { addRecent, isFullId, mayBeId, rankEntries } from '../../renderer/app/frame/palette-rank.ts'

const entry = (label: string, group = 'Go to', words = '') => ({ id: label, label, group, words })
const labels = (typed: string, entries: ReturnType<typeof entry>[]) =>
  rankEntries(entries, typed).map(({ label }) => label)

test('the palette ranks an exact name first, then prefixes and words', () => {
  const entries = [
    entry('Dialog', 'a'),
    entry('Catalog', 'b'),
    entry('An analogue', 'h', 'xlogx'),
    entry('The log', 'c'),
    entry('Logs', 'd'),
    entry('Log', 'e'),
    entry('Requests', 'f', 'log records'),
    entry('Nothing', 'g'),
  ]
  expect(labels('log', entries)).toEqual([
    'Log',
    'Logs',
    'The log',
    'Dialog',
    'Catalog',
    'An analogue',
    'Requests',
  ])
})

test('the palette finds a command with or without spaces', () => {
  const entries = [entry('Restore a backup'), entry('Back up now')]
  expect(labels('backup', entries)).toEqual(['Back up now', 'Restore a backup'])
})

test('the palette ranks items above commands and finds them by id', () => {
  const backend = { ...entry('Backend', 'Applications'), ids: ['5f0c1c1e-0000', '09ab'] }
  const entries = [entry('Back up now'), backend, entry('Feedback', 'x')]
  expect(labels('back', entries)).toEqual(['Backend', 'Back up now', 'Feedback'])
  expect(labels('back up now', entries)).toEqual(['Back up now'])
  expect(labels('5f0c', entries)).toEqual(['Backend'])
  expect(labels('09ab', entries)).toEqual(['Backend'])
})

test('one or two letters inside a word do not match', () => {
  expect(labels('ck', [entry('Back up now'), entry('Lock', 'a', 'back')])).toEqual([])
  expect(labels('lo', [entry('Lock')])).toEqual(['Lock'])
})

test('a palette without a query lists recent entries, and none that need a query', () => {
  const typed = { ...entry('Tokens of type Card'), needsQuery: true as const }
  const entries = [entry('Home'), entry('Tokens'), typed]
  expect(labels('', entries)).toEqual(['Home', 'Tokens'])
  const recent = addRecent(entries, ['Tokens of type Card', 'Gone', 'Tokens'], 'Recent')
  expect(recent.map(({ label, group }) => `${group}: ${label}`)).toEqual([
    'Recent: Tokens of type Card',
    'Recent: Tokens',
    'Go to: Home',
  ])
})

test('the palette lists entries by group, with the groups in a fixed order', () => {
  const entries = [
    entry('Payments', 'Applications'),
    entry('View as Payments', 'View as'),
    entry('Pay later', 'Applications'),
  ]
  expect(labels('pay', entries)).toEqual(['Payments', 'Pay later', 'View as Payments'])
  expect(labels('', entries)).toEqual(entries.map(({ label }) => label))
  expect(labels('open payments', [entry('Payments', 'Applications', 'open')])).toEqual(['Payments'])
})

test('only text that can be an id is accepted as an id', () => {
  expect(isFullId('5f0c1c1e-0000-4000-8000-000000000000')).toBe(true)
  expect(['restore', 'rotate', 'docs', 'back up 2', 'a1', 'x'.repeat(400)].filter(mayBeId)).toEqual([])
  expect(mayBeId('order-77')).toBe(true)
})
