import { expect, test } from 'vitest'
import { findNextRow } from '../../renderer/parts/navigation/find-next-row.ts'

const createRows = (ids: string) => [...ids].map((id) => ({ id }))

test('after a deletion, the next row becomes current, or the previous one if there is none', () => {
  expect(findNextRow('c', createRows('abcde'), createRows('abde'))).toBe('d')
  expect(findNextRow('c', createRows('abcde'), createRows('abe'))).toBe('e')
  expect(findNextRow('e', createRows('abcde'), createRows('abd'))).toBe('d')
  expect(findNextRow('b', createRows('abcde'), createRows('xay'))).toBe('a')
})

test('no row becomes current when the list was replaced', () => {
  expect(findNextRow('c', createRows('abcde'), createRows('xyz'))).toBeNull()
  expect(findNextRow('c', createRows('abcde'), [])).toBeNull()
  expect(findNextRow('q', createRows('abcde'), createRows('abcde'))).toBeNull()
})
