import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Condition,
  escapePattern,
  formatFilter,
  matchesValue,
  parseFilter,
} from '../../shared/conditions.ts'

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

test('*only this* matches the value itself: an asterisk in it is no wildcard', () => {
  expect(matchesValue('/tokens/7', '/tokens/*')).toBe(true)
  expect(matchesValue('/tokens/7', escapePattern('/tokens/*'))).toBe(false)
  const text = fc.string({ unit: fc.constantFrom('a', '*', '\\', '/') })
  fc.assert(
    fc.property(text, text, (value, other) => {
      expect(matchesValue(value, escapePattern(value))).toBe(true)
      expect(matchesValue(other, escapePattern(value))).toBe(other === value)
      expect(matchesValue(`${value}${other}`, `${escapePattern(value)}*`)).toBe(true)
    }),
  )
})
