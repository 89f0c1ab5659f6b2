import fs from 'node:fs'
import path from 'node:path'
import { FuseV1Options } from '@electron/fuses'
import { expect, test } from 'vitest'
import { fuses } from '../resources/after-pack.mjs'
import { readFile, root } from './repository.ts'

/** Returns the cells of the rows of a page in docs/security whose first cell matches. */
const readRows = (page: string, first: RegExp) =>
  readFile('docs', 'security', page)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, cell = '']) => first.test(cell))
const listQuoted = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

test('every attack case is in docs/security/cases.md with its tests', () => {
  const cases = readRows('cases.md', /^X-\d\d$/)
  expect(cases.map(([, number]) => number)).toEqual(
    [...readFile('docs', 'rules.md').matchAll(/^### (X-\d\d) /gm)].map(([, number]) => number),
  )
  for (const [, number = '', , files] of cases) {
    expect([number, listQuoted(files).length > 0]).toEqual([number, true])
    for (const file of listQuoted(files)) {
      expect([number, file, readFile(file).includes(number)]).toEqual([number, file, true])
    }
  }
})

test('docs/security/window.md has a source and a test or reason for each Electron rule', () => {
  const advices = readRows('window.md', /^\d+$/)
  expect(advices.map(([, number]) => Number(number))).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1),
  )
  for (const [, number, , , line, shown = ''] of advices) {
    const [file = ''] = listQuoted(line)
    const source = readFile(file)
    if (!file.endsWith('.json')) expect([number, source.includes('SECURITY:')]).toEqual([number, true])
    const [test = ''] = listQuoted(shown).filter((name) => name.endsWith('.test.ts'))
    const [, attack = ''] = /(X-\d\d)/.exec(shown) ?? []
    if (test) expect([number, readFile('tests', 'desktop', test).includes(attack)]).toEqual([number, true])
    else expect([number, shown]).toEqual([number, expect.stringMatching(/^No/)])
  }
})

test('X-39 docs/security/window.md states every fuse of the packaging', () => {
  const listed = readRows('window.md', /^`[A-Z]\w+`$/).map(([, name, set]) => [
    listQuoted(name)[0],
    set === 'on',
  ])
  const decided = Object.entries(fuses).map(([number, set]) => [FuseV1Options[Number(number)], set])
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(decided))
})

/** The files that create a RegExp from anything but a literal, or match against one that is defined elsewhere. */
const regExpPlaces = {
  // Only in this file, the expression comes from the input of others.
  'shared/patterns/code-set.ts': 'parsed only, or one character or class',
  // In these files, the expression comes from constants.
  'electron/conform/match.ts': 'constants of statements, with values escaped',
  'electron/engine/expressions/json-path/i-regexp.ts': 'one of thirty names of categories',
  'electron/engine/pipeline/log-id.ts': 'two constants',
  'electron/http/request-metadata.ts': 'names of token types',
  'electron/cli/bundle-plugins.ts': 'the bundler’s own',
  'electron/engine/resources/proxies/body-text.ts': 'a constant',
  'electron/engine/resources/proxies/exchanges/secret-redactor.ts': 'constants',
  'electron/engine/resources/proxies/expressions.ts': 'constants',
  'electron/engine/resources/proxies/template-segments.ts': 'a constant',
  'electron/cli/terminal/needed-key.ts': 'paths of operations',
  'renderer/ui/text/editor/find-in-text.ts': 'plain text of the person who searches, escaped',
  'renderer/ui/text/editor/json-language.ts': 'constants',
  'renderer/ui/text/editor/json-scan.ts': 'a constant',
  'renderer/ui/text/json-view.tsx': 'a constant',
  'renderer/ui/text/marked-text.tsx': 'constants',
  'shared/destination-names.ts': 'constants',
  'shared/patterns/parse.ts': 'constants',
  'shared/schemas/three-ds.ts': 'a number of digits',
  'shared/conditions.ts': 'a constant',
  'shared/conversions.ts': 'constants',
  'renderer/screens/requests/shell-words.ts': 'constants',
  'renderer/screens/settings/transfer/columns.ts': 'constants',
  'electron/host/proxies/dot-segments.ts': 'constants',
  'electron/engine/expressions/json-path/parse.ts': 'constants',
}

test('X-65 only the listed files create a RegExp from a string', () => {
  const found = ['electron', 'renderer', 'shared'].flatMap((area) =>
    fs
      .readdirSync(path.join(root, area), { recursive: true, encoding: 'utf8' })
      .map((name) => `${area}/${name.replaceAll(path.sep, '/')}`)
      .filter((name) => /\.(?:tsx?|mjs|cjs)$/.test(name))
      .filter((name) =>
        // These methods also turn a string into a RegExp.
        /\bRegExp\(|\.(?:match|matchAll|search)\((?!\s*[/{])|\.compile\(['"`]/.test(
          readFile(name).replace(/^\s*(?:\/\/|\/?\*).*$/gm, ''),
        ),
      ),
  )
  expect(found.sort()).toEqual(Object.keys(regExpPlaces).sort())
})
