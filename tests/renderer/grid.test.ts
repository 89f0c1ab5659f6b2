import { expect, test } from 'vitest'
import type { Column } from '../../renderer/ui/grid/grid-row.tsx'
import {
  clampWidth,
  computeMinWidth,
  formatTracks,
  getVisibleColumns,
  reorderColumns,
  resizeColumn,
  toggleColumn,
} from '../../renderer/ui/grid/layout.ts'
import {
  countSelected,
  everythingSelected,
  excludeRows,
  extendRange,
  type GridSelection,
  isEmptySelection,
  isSelected,
  nothingSelected,
  toggleSelected,
} from '../../renderer/ui/grid/selection.ts'

const keys = ['a', 'b', 'c', 'd', 'e']
const listSelected = (selection: GridSelection) => keys.filter((key) => isSelected(selection, key)).join('')

test('toggling a row changes only its own selection', () => {
  const two = toggleSelected(toggleSelected(nothingSelected, 'a'), 'c')
  expect(listSelected(two)).toBe('ac')
  expect(listSelected(toggleSelected(two, 'a'))).toBe('c')
  expect(isEmptySelection(toggleSelected(toggleSelected(two, 'a'), 'c'))).toBe(true)
})

test('extending or reducing a range preserves the earlier selection', () => {
  const before = toggleSelected(nothingSelected, 'a')
  const range = { from: 'c', before }
  expect(listSelected(extendRange(range, keys, 4))).toBe('acde')
  expect(listSelected(extendRange(range, keys, 3))).toBe('acd')
  expect(listSelected(extendRange(range, keys, 1))).toBe('abc')
  // If the first row of the range no longer exists, only the target row is selected.
  expect(listSelected(extendRange({ from: 'x', before }, keys, 3))).toBe('ad')
})

test('rows can be excluded after Select all', () => {
  const allButTwo = toggleSelected(toggleSelected(everythingSelected, 'b'), 'd')
  expect(listSelected(allButTwo)).toBe('ace')
  expect(countSelected(allButTwo, 1_000_000)).toBe(999_998)
  expect(countSelected(allButTwo, null)).toBeNull()
  expect(listSelected(toggleSelected(allButTwo, 'b'))).toBe('abce')
  expect(listSelected(extendRange({ from: 'a', before: allButTwo }, keys, 3))).toBe('abcde')
})

test('deleted rows are removed from the selected and from the excluded rows', () => {
  const two = toggleSelected(toggleSelected(nothingSelected, 'a'), 'c')
  expect(countSelected(excludeRows(two, ['c', 'x']), 5)).toBe(1)
  expect(excludeRows(two, ['x'])).toBe(two)
  expect(countSelected(excludeRows(toggleSelected(everythingSelected, 'a'), ['a']), 4)).toBe(4)
})

const createColumn = (id: string, more: Partial<Column<never>> = {}): Column<never> => ({
  id,
  label: id,
  width: 'minmax(100px, 1fr)',
  render: () => null,
  ...more,
})
const columns = [
  createColumn('id'),
  createColumn('brand', { from: 1500 }),
  createColumn('age', { width: '64px' }),
]
const listIds = (list: readonly Column<never>[]) => list.map(({ id }) => id)

test('a list shows the columns that fit, or those that the user has chosen', () => {
  expect(listIds(getVisibleColumns(columns, {}, 900))).toEqual(['id', 'age'])
  expect(listIds(getVisibleColumns(columns, {}, 1600))).toEqual(['id', 'brand', 'age'])
  expect(listIds(getVisibleColumns(columns, { columns: ['brand', 'id'] }, 900))).toEqual(['brand', 'id'])
  const createMetadataColumn = (id: string) => (id.startsWith('metadata.') ? createColumn(id) : undefined)
  // Another version of Coffer may have stored columns that this one does not know.
  expect(
    listIds(getVisibleColumns(columns, { columns: ['metadata.x', 'new'] }, 900, createMetadataColumn)),
  ).toEqual(['metadata.x'])
  expect(listIds(getVisibleColumns(columns, { columns: ['new'] }, 900))).toEqual(['id'])
})

test('columns are moved and resized within bounds, and the last one cannot be hidden', () => {
  expect(reorderColumns(['a', 'b', 'c'], 'a', 1)).toEqual(['b', 'a', 'c'])
  expect(reorderColumns(['a', 'b', 'c'], 'a', 9)).toEqual(['b', 'c', 'a'])
  expect(reorderColumns(['a', 'b', 'c'], 'c', -1)).toEqual(['c', 'a', 'b'])
  expect(toggleColumn(['a', 'b'], 'b', false)).toEqual(['a'])
  expect(toggleColumn(['a'], 'a', false)).toEqual(['a'])
  expect(toggleColumn(['a'], 'b', true)).toEqual(['a', 'b'])
  expect([clampWidth(-5), clampWidth(100.4), clampWidth(99_999)]).toEqual([40, 100, 4000])
  const layout = resizeColumn({}, 'id', 200)
  expect(formatTracks(getVisibleColumns(columns, layout, 900), layout, true)).toBe('20px 200px 64px')
  expect(computeMinWidth(getVisibleColumns(columns, layout, 900), layout, true)).toBe(20 + 200 + 64 + 24 + 56)
})
