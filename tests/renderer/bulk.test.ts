import { expect, test } from 'vitest'
import { combineActions } from '../../renderer/parts/bulk/combine-actions.ts'

const of = (ids: string[], as: string | null = null) =>
  ({ action: { do: 'delete' }, selection: { ids }, as }) as const

test('several deletions combine only for listed tokens and the same actor', () => {
  expect(combineActions(of(['a', 'b']), of(['b', 'c']))).toEqual({ ids: ['a', 'b', 'c'] })
  expect(combineActions(of(['a'], 'x'), of(['b'], 'x'))).toEqual({ ids: ['a', 'b'] })
  expect(combineActions(of(['a']), of(['b'], 'x'))).toBeNull()
  expect(combineActions(of(['a'], 'x'), of(['b']))).toBeNull()
  expect(combineActions(of(['a']), { ...of(['b']), selection: { all: {}, except: [] } })).toBeNull()
  expect(combineActions(of(['a']), { ...of(['b']), action: { do: 'expire', expires_at: null } })).toBeNull()
})
