/**
 * The keys of the selected rows: either some rows, or all rows of the current filter, loaded or not, with exceptions.
 */
export type GridSelection =
  | { readonly of: 'some'; readonly keys: ReadonlySet<string> }
  | { readonly of: 'all'; readonly except: ReadonlySet<string> }

export const nothingSelected: GridSelection = { of: 'some', keys: new Set() }
export const everythingSelected: GridSelection = { of: 'all', except: new Set() }

export function isSelected(selection: GridSelection, key: string): boolean {
  return selection.of === 'some' ? selection.keys.has(key) : !selection.except.has(key)
}

/** The number of selected rows in a list of `total`; null if `total` is unknown. */
export function countSelected(selection: GridSelection, total: number | null): number | null {
  if (selection.of === 'some') return selection.keys.size
  return total === null ? null : Math.max(0, total - selection.except.size)
}

export function isEmptySelection(selection: GridSelection): boolean {
  return selection.of === 'some' && selection.keys.size === 0
}

function withRows(selection: GridSelection, keys: Iterable<string>, selected: boolean): GridSelection {
  const isSome = selection.of === 'some'
  const listed = new Set(isSome ? selection.keys : selection.except)
  for (const key of keys) {
    if (selected === isSome) listed.add(key)
    else listed.delete(key)
  }
  return isSome ? { of: 'some', keys: listed } : { of: 'all', except: listed }
}

export function toggleSelected(selection: GridSelection, key: string): GridSelection {
  return withRows(selection, [key], !isSelected(selection, key))
}

/** Removes the keys of deleted rows from the selection. Returns the same object if it contains none of these keys. */
export function excludeRows(selection: GridSelection, deletedKeys: Iterable<string>): GridSelection {
  const listed = selection.of === 'some' ? selection.keys : selection.except
  const remaining = new Set(listed)
  for (const key of deletedKeys) remaining.delete(key)
  if (remaining.size === listed.size) return selection
  return selection.of === 'some' ? { of: 'some', keys: remaining } : { of: 'all', except: remaining }
}

/** A range selection with Shift: its first row, and the selection to which it is added. */
export type ShiftRange = { readonly from: string; readonly before: GridSelection }

/**
 * Selects the range from its first row to the row at index `to`, replacing the previous extent of that range. `keys`
 * are the keys of the loaded rows, in order. If the first row is not loaded, only the row at `to` is selected.
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
