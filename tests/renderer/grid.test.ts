import { expect, test } from 'vitest'
import type { Column } from '../../renderer/ui/grid/grid-row.tsx'
import {
  bounded,
  chosen,
  leastWidth,
  moved,
  resized,
  shownColumns,
  tracksOf,
} from '../../renderer/ui/grid/layout.ts'
import {
  everythingSelected,
  extended,
  isNothing,
  isSelected,
  nothingSelected,
  type Selection,
  sizeOf,
  toggled,
  without,
} from '../../renderer/ui/grid/selection.ts'

const keys = ['a', 'b', 'c', 'd', 'e']
const shown = (selection: Selection) => keys.filter((key) => isSelected(selection, key)).join('')

test('rows are selected one by one, and taken out again', () => {
  const two = toggled(toggled(nothingSelected, 'a'), 'c')
  expect(shown(two)).toBe('ac')
  expect(shown(toggled(two, 'a'))).toBe('c')
  expect(isNothing(toggled(toggled(two, 'a'), 'c'))).toBe(true)
})

test('a range replaces itself as it grows and shrinks, and leaves what was selected before', () => {
  const before = toggled(nothingSelected, 'a')
  const range = { from: 'c', before }
  expect(shown(extended(range, keys, 4))).toBe('acde')
  expect(shown(extended(range, keys, 3))).toBe('acd')
  expect(shown(extended(range, keys, 1))).toBe('abc')
  // The row it began at is gone.
  expect(shown(extended({ from: 'x', before }, keys, 3))).toBe('ad')
})

test('everything is selected without naming it, and single rows are taken out of it', () => {
  const most = toggled(toggled(everythingSelected, 'b'), 'd')
  expect(shown(most)).toBe('ace')
  expect(sizeOf(most, 1_000_000)).toBe(999_998)
  expect(sizeOf(most, null)).toBeNull()
  expect(shown(toggled(most, 'b'))).toBe('abce')
  expect(shown(extended({ from: 'a', before: most }, keys, 3))).toBe('abcde')
})

test('rows that are gone are no longer selected, nor taken out of everything', () => {
  const two = toggled(toggled(nothingSelected, 'a'), 'c')
  expect(sizeOf(without(two, ['c', 'x']), 5)).toBe(1)
  expect(without(two, ['x'])).toBe(two)
  expect(sizeOf(without(toggled(everythingSelected, 'a'), ['a']), 4)).toBe(4)
})

const column = (id: string, more: Partial<Column<never>> = {}): Column<never> => ({
  id,
  label: id,
  width: 'minmax(100px, 1fr)',
  render: () => null,
  ...more,
})
const columns = [column('id'), column('brand', { from: 1500 }), column('age', { width: '64px' })]
const idsOf = (list: readonly Column<never>[]) => list.map(({ id }) => id)

test('a list shows the columns that have room, until a person chooses', () => {
  expect(idsOf(shownColumns(columns, {}, 900))).toEqual(['id', 'age'])
  expect(idsOf(shownColumns(columns, {}, 1600))).toEqual(['id', 'brand', 'age'])
  expect(idsOf(shownColumns(columns, { columns: ['brand', 'id'] }, 900))).toEqual(['brand', 'id'])
  const made = (id: string) => (id.startsWith('metadata.') ? column(id) : undefined)
  // Another version of Coffer may have kept columns that this one does not know.
  expect(idsOf(shownColumns(columns, { columns: ['metadata.x', 'new'] }, 900, made))).toEqual(['metadata.x'])
  expect(idsOf(shownColumns(columns, { columns: ['new'] }, 900))).toEqual(['id'])
})

test('columns are moved, resized within bounds, and the last one cannot be hidden', () => {
  expect(moved(['a', 'b', 'c'], 'a', 1)).toEqual(['b', 'a', 'c'])
  expect(moved(['a', 'b', 'c'], 'a', 9)).toEqual(['b', 'c', 'a'])
  expect(moved(['a', 'b', 'c'], 'c', -1)).toEqual(['c', 'a', 'b'])
  expect(chosen(['a', 'b'], 'b', false)).toEqual(['a'])
  expect(chosen(['a'], 'a', false)).toEqual(['a'])
  expect(chosen(['a'], 'b', true)).toEqual(['a', 'b'])
  expect([bounded(-5), bounded(100.4), bounded(99_999)]).toEqual([40, 100, 4000])
  const layout = resized({}, 'id', 200)
  expect(tracksOf(shownColumns(columns, layout, 900), layout, true)).toBe('20px 200px 64px')
  expect(leastWidth(shownColumns(columns, layout, 900), layout, true)).toBe(20 + 200 + 64 + 24 + 56)
})
