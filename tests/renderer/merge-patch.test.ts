import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPatch, invertPatch, listChanges } from '../../renderer/screens/tokens/forms/merge-patch.ts'
import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import { mergePatch } from '../../shared/merge-patch.ts'

/** Generates JSON without null, because a merge patch cannot express null. */
const name = fc.oneof(fc.string({ minLength: 1, maxLength: 4 }), fc.constantFrom('toString', 'constructor'))
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

test('T-12 the patch between two values turns one into the other', () => {
  fc.assert(
    fc.property(value, value, (before, after) => {
      const patch = createPatch(before, after)
      expect(patch === undefined ? before : mergePatch(before, patch)).toEqual(after)
    }),
  )
})

test('T-12 a key named like an inherited property is an ordinary key', () => {
  const before = JSON.parse('{"__proto__":{"a":1},"toString":1,"b":2}') as JsonObject
  const after = JSON.parse('{"b":2,"__proto__":{"a":2},"constructor":3}') as JsonObject
  for (const [from, to] of [
    [before, after],
    [after, before],
    [before, { b: 2 }],
    [{ b: 2 }, before],
  ] as const) {
    const patch = createPatch(from, to)
    expect(Object.entries(mergePatch(from, patch ?? {}) as JsonObject).sort()).toEqual(
      Object.entries(to).sort(),
    )
  }
  expect(listChanges({ b: 2 }, { toString: 1 })).toEqual([{ path: 'toString', before: undefined, after: 1 }])
})

test('the change list names exactly the changes of a patch', () => {
  fc.assert(
    fc.property(value.filter(isObject), value.filter(isObject), (before: JsonObject, after: JsonObject) => {
      const patch = createPatch(before, after)
      const changes = patch === undefined ? [] : listChanges(before, patch)
      for (const { before: was, after: becomes } of changes) expect(was).not.toEqual(becomes)
      expect(listChanges(before, {})).toEqual([])
    }),
  )
})

test('T-12 the inverse of a patch reverts exactly its changes', () => {
  fc.assert(
    fc.property(value.filter(isObject), value.filter(isObject), (before, after) => {
      const patch = createPatch(before, after) ?? {}
      expect(mergePatch(mergePatch(before, patch), invertPatch(before, patch))).toEqual(before)
    }),
  )
})
