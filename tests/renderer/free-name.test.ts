import { expect, test } from 'vitest'
import { freeName } from '../../renderer/parts/forms/free-name.ts'

test('a new application or vault gets a name that is unused in any letter case', () => {
  expect(freeName('Backend', [])).toBe('Backend')
  expect(freeName('Backend', ['Backend 2'])).toBe('Backend')
  expect(freeName('Backend', ['backend'])).toBe('Backend 2')
  expect(freeName('Backend', ['Backend', 'BACKEND 2', 'Backend 4'])).toBe('Backend 3')
  expect(freeName('restored', ['Restored'], '-')).toBe('restored-2')
})
