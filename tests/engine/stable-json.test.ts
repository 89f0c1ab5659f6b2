import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../shared/json.ts'
import { readJson } from '../../shared/json.ts'
import { toStableJson } from '../../shared/stable-json.ts'

test('W-03 stable JSON sorts members by code unit, and has no spaces', () => {
  const value = {
    b: [{ z: 1, A: 'x' }, 'b', 'a'],
    a: null,
    '\uE000': 1,
    '\u{10000}': 2,
    B: true,
    '10': 1,
    '9': 2,
  }
  expect(toStableJson(value)).toBe(
    '{"10":1,"9":2,"B":true,"a":null,"b":[{"A":"x","z":1},"b","a"],"\u{10000}":2,"\uE000":1}',
  )
})

test('W-03 stable JSON writes numbers as doubles, whatever their notation', () => {
  expect(toStableJson(readJson('{"a":1.0,"b":19.90,"c":1e3,"d":-0,"e":0.1}') as Json)).toBe(
    '{"a":1,"b":19.9,"c":1000,"d":0,"e":0.1}',
  )
})

test('W-03 stable JSON is unchanged by parsing and writing it again', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = toStableJson(value as Json)
      expect(toStableJson(JSON.parse(text))).toBe(text)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})
