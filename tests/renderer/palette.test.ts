import { expect, test } from 'vitest'
import { addRecent, isFullId, mayBeId, rankEntries } from '../../renderer/app/frame/palette-rank.ts'

const createEntry = (label: string, group = 'Go to', words = '') => ({ id: label, label, group, words })
const rankLabels = (typed: string, entries: ReturnType<typeof createEntry>[]) =>
  rankEntries(entries, typed).map(({ label }) => label)

test('the palette ranks an exact name first, then prefixes and words', () => {
  const entries = [
    createEntry('Dialog', 'a'),
    createEntry('Catalog', 'b'),
    createEntry('An analogue', 'h', 'xlogx'),
    createEntry('The log', 'c'),
    createEntry('Logs', 'd'),
    createEntry('Log', 'e'),
    createEntry('Requests', 'f', 'log records'),
    createEntry('Nothing', 'g'),
  ]
  expect(rankLabels('log', entries)).toEqual([
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
  const entries = [createEntry('Restore a backup'), createEntry('Back up now')]
  expect(rankLabels('backup', entries)).toEqual(['Back up now', 'Restore a backup'])
})

test('the palette ranks items above commands and finds them by id', () => {
  const backend = { ...createEntry('Backend', 'Applications'), ids: ['5f0c1c1e-0000', '09ab'] }
  const entries = [createEntry('Back up now'), backend, createEntry('Feedback', 'x')]
  expect(rankLabels('back', entries)).toEqual(['Backend', 'Back up now', 'Feedback'])
  expect(rankLabels('back up now', entries)).toEqual(['Back up now'])
  expect(rankLabels('5f0c', entries)).toEqual(['Backend'])
  expect(rankLabels('09ab', entries)).toEqual(['Backend'])
})

test('the palette does not match one or two letters inside a word', () => {
  expect(rankLabels('ck', [createEntry('Back up now'), createEntry('Lock', 'a', 'back')])).toEqual([])
  expect(rankLabels('lo', [createEntry('Lock')])).toEqual(['Lock'])
})

test('a palette without a query lists recent entries, and none that need a query', () => {
  const typed = { ...createEntry('Tokens of type Card'), needsQuery: true as const }
  const entries = [createEntry('Home'), createEntry('Tokens'), typed]
  expect(rankLabels('', entries)).toEqual(['Home', 'Tokens'])
  const recent = addRecent(entries, ['Tokens of type Card', 'Gone', 'Tokens'], 'Recent')
  expect(recent.map(({ label, group }) => `${group}: ${label}`)).toEqual([
    'Recent: Tokens of type Card',
    'Recent: Tokens',
    'Go to: Home',
  ])
})

test('the palette lists entries by group, with the groups in a fixed order', () => {
  const entries = [
    createEntry('Payments', 'Applications'),
    createEntry('View as Payments', 'View as'),
    createEntry('Pay later', 'Applications'),
  ]
  expect(rankLabels('pay', entries)).toEqual(['Payments', 'Pay later', 'View as Payments'])
  expect(rankLabels('', entries)).toEqual(entries.map(({ label }) => label))
  expect(rankLabels('open payments', [createEntry('Payments', 'Applications', 'open')])).toEqual(['Payments'])
})

test('a UUID and order-77 can be ids, but command words and overlong text cannot', () => {
  expect(isFullId('5f0c1c1e-0000-4000-8000-000000000000')).toBe(true)
  expect(['restore', 'rotate', 'docs', 'back up 2', 'a1', 'x'.repeat(400)].filter(mayBeId)).toEqual([])
  expect(mayBeId('order-77')).toBe(true)
})
