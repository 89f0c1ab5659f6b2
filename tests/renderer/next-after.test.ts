import { expect, test } from 'vitest'
import { findNextRow } from '../../renderer/parts/navigation/find-next-row.ts'

const rows = (ids: string) => [...ids].map((id) => ({ id }))

test('after a deletion, the next row becomes current, or the previous one if there is none', () => {
  expect(findNextRow('c', rows('abcde'), rows('abde'))).toBe('d')
  expect(findNextRow('c', rows('abcde'), rows('abe'))).toBe('e')
  expect(findNextRow('e', rows('abcde'), rows('abd'))).toBe('d')
  expect(findNextRow('b', rows('abcde'), rows('xay'))).toBe('a')
})

test('no row becomes current when the list was replaced', () => {
  expect(findNextRow('c', rows('abcde'), rows('xyz'))).toBeNull()
  expect(findNextRow('c', rows('abcde'), [])).toBeNull()
  expect(findNextRow('q', rows('abcde'), rows('abcde'))).toBeNull()
})
