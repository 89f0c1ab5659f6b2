import fs from 'node:fs'
import path from 'node:path'
import { FuseV1Options } from '@electron/fuses'
import { expect, test } from 'vitest'
import { fuses } from '../resources/after-pack.mjs'

const root = path.join(import.meta.dirname, '..')
const text = fs.readFileSync(path.join(root, 'SECURITY.md'), 'utf8')
/** The cells of every row whose first cell is one of these. */
const rows = (first: RegExp) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, cell = '']) => first.test(cell))
const quoted = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
const read = (...parts: string[]) => fs.readFileSync(path.join(root, ...parts), 'utf8')

test('every attack case has a row in SECURITY.md, and every test file it names carries its number', () => {
  const cases = rows(/^X-\d\d$/)
  expect(cases.map(([, number]) => number)).toEqual(
    Object.keys(JSON.parse(read('tests', 'rules.json'))).filter((number) => number.startsWith('X-')),
  )
  for (const [, number = '', , files] of cases) {
    expect([number, quoted(files).length > 0]).toEqual([number, true])
    for (const file of quoted(files)) {
      expect([number, file, read('tests', file).includes(number)]).toEqual([number, file, true])
    }
  }
})

test("Electron's twenty advices have a line that is marked and a test that is there, or a reason", () => {
  const advices = rows(/^\d+$/)
  expect(advices.map(([, number]) => Number(number))).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1),
  )
  for (const [, number, , , line, shown = ''] of advices) {
    const [file = ''] = quoted(line)
    const source = file.includes('/') || file.endsWith('.json') ? read(file) : read('electron', 'main', file)
    if (!file.endsWith('.json')) expect([number, source.includes('SECURITY:')]).toEqual([number, true])
    const [test = ''] = quoted(shown).filter((name) => name.endsWith('.test.ts'))
    const [, attack = ''] = /(X-\d\d)/.exec(shown) ?? []
    if (test) expect([number, read('tests', 'desktop', test).includes(attack)]).toEqual([number, true])
    else expect([number, shown]).toEqual([number, expect.stringMatching(/^No/)])
  }
})

test('X-39 every fuse that packaging sets is in SECURITY.md as it is set', () => {
  const listed = rows(/^`[A-Z]\w+`$/).map(([, name, set]) => [quoted(name)[0], set === 'on'])
  const decided = Object.entries(fuses).map(([number, set]) => [FuseV1Options[Number(number)], set])
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(decided))
})
