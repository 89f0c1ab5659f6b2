import { expect, test } from 'vitest'
import { toReferences } from '../../../renderer/elements/client/references.ts'

const reference = { correlationId: 'a', elementId: 'b', path: 'c' }

test('a value that is missing because it was read masked says so, and text is not a reference', () => {
  const missing = /^There is no value to show\..* the transform reveal\.$/
  for (const value of [undefined, null]) {
    expect(() => toReferences('cardVerificationCode', value)).toThrow(missing)
    expect(() => toReferences('card', value)).toThrow(missing)
  }
  for (const value of ['4242', {}, 4]) {
    expect(() => toReferences('card', value)).toThrow(/^An element accepts only references/)
  }
  expect(toReferences('card', { number: reference, cvc: undefined })).toEqual({ number: reference })
})
