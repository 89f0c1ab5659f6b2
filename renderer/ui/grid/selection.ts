/** The selected rows of a list, by their keys: some, or all that the list finds, loaded or not, except some. */
export type GridSelection =
  | { readonly of: 'some'; readonly keys: ReadonlySet<string> }
  | { readonly of: 'all'; readonly except: ReadonlySet<string> }

export const nothingSelected: GridSelection = { of: 'some', keys: new Set() }
export const everythingSelected: GridSelection = { of: 'all', except: new Set() }

/** Whether a row is selected. */
export function isSelected(selection: GridSelection, key: string): boolean {
  return selection.of === 'some' ? selection.keys.has(key) : !selection.except.has(key)
}

/** How many rows are selected, of a list of `total`; null if that is unknown. */
export function countSelected(selection: GridSelection, total: number | null): number | null {
  if (selection.of === 'some') return selection.keys.size
  return total === null ? null : Math.max(0, total - selection.except.size)
}

/** Whether no row is selected. */
export function isEmptySelection(selection: GridSelection): boolean {
  return selection.of === 'some' && selection.keys.size === 0
}

/** The selection with these rows selected, or not. */
function withRows(selection: GridSelection, keys: Iterable<string>, selected: boolean): GridSelection {
  const isSome = selection.of === 'some'
  const listed = new Set(isSome ? selection.keys : selection.except)
  for (const key of keys) {
    if (selected === isSome) listed.add(key)
    else listed.delete(key)
  }
  return isSome ? { of: 'some', keys: listed } : { of: 'all', except: listed }
}

/** The selection with one row changed. */
export function toggleSelected(selection: GridSelection, key: string): GridSelection {
  return withRows(selection, [key], !isSelected(selection, key))
}

/** The selection without rows that no longer exist; the same object if none of them was named. */
export function excludeRows(selection: GridSelection, deletedKeys: Iterable<string>): GridSelection {
  const listed = selection.of === 'some' ? selection.keys : selection.except
  const remaining = new Set(listed)
  for (const key of deletedKeys) remaining.delete(key)
  if (remaining.size === listed.size) return selection
  return selection.of === 'some' ? { of: 'some', keys: remaining } : { of: 'all', except: remaining }
}

/** A range that Shift extends: from a row, on top of what was selected before it. */
export type ShiftRange = { readonly from: string; readonly before: GridSelection }

/**
 * The selection with the rows between the start of a range and another row, which replace those of the same range
 * before. `keys` are the loaded rows in order; if the range's start is not among them, it begins at the other row.
 */
export function extendRange(
  { from, before }: ShiftRange,
  keys: readonly string[],
  to: number,
): GridSelection {
  const start = keys.indexOf(from)
  const [first, last] = start < 0 ? [to, to] : start < to ? [start, to] : [to, start]
  return withRows(before, keys.slice(first, last + 1), true)
}
