import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../shared/json.ts'
import { mergePatch } from '../../shared/merge-patch.ts'
import { getRunCount } from '../thorough.ts'

const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'toString', '0')
const json = fc.letrec<{ any: Json; object: Json }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>(null, true, 0, 'x', ''),
    fc.array(tie('any'), { maxLength: 2 }),
    tie('object'),
  ),
  // Object.fromEntries treats `__proto__` as an ordinary member, as JSON.parse does.
  object: fc
    .array(fc.tuple(key, tie('any')), { maxLength: 4 })
    .map((pairs): Json => Object.fromEntries(pairs)),
})).any

/** The model: RFC 7386 on Maps, so that no member name is special. */
type PatchNode = null | boolean | number | string | PatchNode[] | Map<string, PatchNode>
function toNode(value: Json): PatchNode {
  if (Array.isArray(value)) return value.map(toNode)
  if (typeof value !== 'object' || value === null) return value
  return new Map(Object.entries(value).map(([name, each]) => [name, toNode(each)]))
}
function mergeNodes(target: PatchNode | undefined, patch: PatchNode): PatchNode {
  if (!(patch instanceof Map)) return patch
  const result = target instanceof Map ? new Map(target) : new Map<string, PatchNode>()
  for (const [name, value] of patch) {
    if (value === null) result.delete(name)
    else result.set(name, mergeNodes(result.get(name), value))
  }
  return result
}

describe('merge patch', () => {
  // The examples of RFC 7386, appendix A.
  test.each<[Json, Json, Json]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('T-12 %j patched with %j is %j', (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result)
  })

  test('T-12 a merge patch gives the result of the model, and changes no argument', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const before = JSON.stringify([target, patch])
        expect(toNode(mergePatch(target, patch))).toEqual(mergeNodes(toNode(target), toNode(patch)))
        expect(JSON.stringify([target, patch])).toBe(before)
      }),
      getRunCount(500),
    )
  })

  test('X-08 members named __proto__ and constructor are ordinary members', () => {
    const patch = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')
    const result = mergePatch({ a: 1 }, patch)
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
    expect(Object.keys(result ?? {})).toEqual(['a', '__proto__', 'constructor'])
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
    expect(mergePatch({}, { toString: { a: 1 } })).toEqual({ toString: { a: 1 } })
  })
})
