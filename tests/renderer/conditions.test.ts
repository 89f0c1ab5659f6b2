import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Condition, formatFilter, parseFilter } from '../../shared/conditions.ts'

test('a filter survives its text, whatever its values are', () => {
  const value = fc.string({ minLength: 1, unit: fc.constantFrom('a', ' ', '"', '\\', ':', '-', '*', '\n') })
  const condition = fc.record({ field: fc.constantFrom('path', 'program'), value })
  fc.assert(
    fc.property(fc.array(condition, { maxLength: 3 }), (conditions: readonly Condition[]) => {
      const text = formatFilter({ conditions, words: 'ada' })
      expect(parseFilter(text, ['path', 'program'])).toEqual({ conditions, words: 'ada' })
    }),
  )
})

test('a condition beyond the maximum stays visible as text, instead of widening the list', () => {
  const typed = Array.from({ length: 21 }, (_, at) => `-path:/${at}`)
  const { conditions, words } = parseFilter(typed.join(' '), ['path'])
  expect(conditions).toHaveLength(20)
  expect(words).toBe('-path:/20')
})
