import { expect, test } from 'vitest'
import { combineActions } from '../../renderer/parts/bulk/combine-actions.ts'

const createDeletion = (ids: string[], as: string | null = null) =>
  ({ action: { do: 'delete' }, selection: { ids }, as }) as const

test('deletions are combined only if they list their tokens and have the same actor', () => {
  expect(combineActions(createDeletion(['a', 'b']), createDeletion(['b', 'c']))).toEqual({
    ids: ['a', 'b', 'c'],
  })
  expect(combineActions(createDeletion(['a'], 'x'), createDeletion(['b'], 'x'))).toEqual({ ids: ['a', 'b'] })
  expect(combineActions(createDeletion(['a']), createDeletion(['b'], 'x'))).toBeNull()
  expect(combineActions(createDeletion(['a'], 'x'), createDeletion(['b']))).toBeNull()
  expect(
    combineActions(createDeletion(['a']), { ...createDeletion(['b']), selection: { all: {}, except: [] } }),
  ).toBeNull()
  expect(
    combineActions(createDeletion(['a']), {
      ...createDeletion(['b']),
      action: { do: 'expire', expires_at: null },
    }),
  ).toBeNull()
})
