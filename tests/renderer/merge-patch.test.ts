import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyPatch, changesOf, patchBetween } from '../../renderer/screens/tokens/forms/merge-patch.ts'
import { isObject, type Json, type JsonObject } from '../../shared/json.ts'

/** JSON without null, which a merge patch cannot write, and without names that are no plain members. */
const name = fc.string({ minLength: 1, maxLength: 4 }).filter((each) => each !== '__proto__')
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}))

test('T-12 the patch between two values leads from one to the other', () => {
  fc.assert(
    fc.property(value, value, (before, after) => {
      const patch = patchBetween(before, after)
      expect(patch === undefined ? before : applyPatch(before, patch)).toEqual(after)
    }),
  )
})

test('T-12 applies the examples of RFC 7386', () => {
  const cases: [Json, Json, Json][] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [1] }, { a: [2] }, { a: [2] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ]
  for (const [before, patch, after] of cases) expect(applyPatch(before, patch)).toEqual(after)
})

test('the changes of a patch are those it makes', () => {
  fc.assert(
    fc.property(value.filter(isObject), value.filter(isObject), (before: JsonObject, after: JsonObject) => {
      const patch = patchBetween(before, after)
      const changes = patch === undefined ? [] : changesOf(before, patch)
      for (const { before: was, after: becomes } of changes) expect(was).not.toEqual(becomes)
      expect(changesOf(before, {})).toEqual([])
    }),
  )
})
