import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseRoute, toHref } from '../../renderer/parts/navigation/route-text.ts'
import { getRunCount } from '../thorough.ts'

test('parsing the hash of any route gives the same route', () => {
  const key = fc.string({ minLength: 1 }).filter((name) => name !== '__proto__')
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, unit: 'binary' }).filter((id) => id.isWellFormed()),
      fc.dictionary(key, fc.string({ minLength: 1 }), { noNullPrototype: true }),
      (id, query) => {
        expect(parseRoute(toHref('tokens', id, query))).toEqual({ screen: 'tokens', id, query })
      },
    ),
    getRunCount(100),
  )
})

test('an unknown hash opens Home, and a link omits empty filters', () => {
  expect(parseRoute('')).toEqual({ screen: 'home', id: null, query: {} })
  expect(parseRoute('#/nowhere/x')).toEqual({ screen: 'home', id: 'x', query: {} })
  expect(parseRoute('#/tokens/%zz').id).toBe('%zz')
  expect(toHref('tokens', null, { type: '', container: undefined })).toBe('#/tokens')
})
