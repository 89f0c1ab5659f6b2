import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readMode } from '../../renderer/app/frame/palette-mode.ts'
import { isSecret, pickEntries, rankEntries } from '../../renderer/app/frame/palette-rank.ts'
import { strings } from '../../renderer/app/frame/palette-strings.ts'

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

test('the palette picks recent entries by id, and offers none that need a query', () => {
  const typed = { ...createEntry('Tokens of type Card'), needsQuery: true as const }
  const entries = [createEntry('Home'), createEntry('Tokens'), typed]
  expect(rankLabels('', entries)).toEqual(['Home', 'Tokens'])
  const recent = pickEntries(entries, ['Tokens of type Card', 'Gone', 'Tokens'], 'Recent')
  expect(recent.map(({ label, group }) => `${group}: ${label}`)).toEqual([
    'Recent: Tokens of type Card',
    'Recent: Tokens',
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

test('a card number and an API key are secrets, whatever is between their digits', () => {
  const key = 'key_local_pvt_abcdefghijklmnop1234'
  expect(['4242 4242 4242 4242', '4242424242424242', '٤٢٤٢٤٢٤٢٤٢٤٢', key].every(isSecret)).toBe(true)
  expect(['4242', 'ada', '403', '5f0c1c1e', 'order-77'].some(isSecret)).toBe(false)
})

test('`>` acts, `=` evaluates, and an API key is searched for nowhere', () => {
  expect(readMode('> rotate backend')).toMatchObject({ mode: 'act', text: 'rotate backend', found: '' })
  expect(readMode('>delete 4242')).toMatchObject({ mode: 'act', found: '4242' })
  expect(readMode('= "4242" | last4')).toMatchObject({ mode: 'evaluate', text: '"4242" | last4', found: '' })
  expect(readMode(' ada ')).toMatchObject({ mode: 'find', text: 'ada', found: 'ada' })
  const key = 'key_local_pvt_abcdefghijklmnop1234'
  expect(readMode(key)).toMatchObject({ found: '', isSecret: true })
  expect(readMode(`= "${key}" | upcase`)).toMatchObject({ mode: 'evaluate', isSecret: true })
})

test('every guide of the palette is a file of the documentation, by its title', () => {
  for (const [name, [title]] of Object.entries(strings.guides)) {
    const file = path.join(import.meta.dirname, '..', '..', 'docs', `${name}.md`)
    expect(fs.readFileSync(file, 'utf8').split('\n')[0]).toBe(`# ${title}`)
  }
})
