import { expect, test } from 'vitest'
import { findNextRow } from '../../renderer/parts/navigation/find-next-row.ts'

const rows = (ids: string) => [...ids].map((id) => ({ id }))

test('the row after one that is gone takes its place, or else the one before it', () => {
  expect(findNextRow('c', rows('abcde'), rows('abde'))).toBe('d')
  expect(findNextRow('c', rows('abcde'), rows('abe'))).toBe('e')
  expect(findNextRow('e', rows('abcde'), rows('abd'))).toBe('d')
  expect(findNextRow('b', rows('abcde'), rows('xay'))).toBe('a')
})

test('no row takes the place of one whose list was replaced, or that was never in it', () => {
  expect(findNextRow('c', rows('abcde'), rows('xyz'))).toBeNull()
  expect(findNextRow('c', rows('abcde'), [])).toBeNull()
  expect(findNextRow('q', rows('abcde'), rows('abcde'))).toBeNull()
})
