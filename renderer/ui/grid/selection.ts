/** The selected rows of a list, by their keys: some, or all that the list finds, loaded or not, except some. */
export type Selection =
  | { readonly of: 'some'; readonly keys: ReadonlySet<string> }
  | { readonly of: 'all'; readonly except: ReadonlySet<string> }

export const nothingSelected: Selection = { of: 'some', keys: new Set() }
export const everythingSelected: Selection = { of: 'all', except: new Set() }

/** Whether a row is selected. */
export function isSelected(selection: Selection, key: string): boolean {
  return selection.of === 'some' ? selection.keys.has(key) : !selection.except.has(key)
}

/** How many rows are selected, of a list of `total`; null if that is unknown. */
export function sizeOf(selection: Selection, total: number | null): number | null {
  if (selection.of === 'some') return selection.keys.size
  return total === null ? null : Math.max(0, total - selection.except.size)
}

/** Whether no row is selected. */
export function isNothing(selection: Selection): boolean {
  return selection.of === 'some' && selection.keys.size === 0
}

/** The selection with these rows selected, or not. */
function withRows(selection: Selection, keys: Iterable<string>, wanted: boolean): Selection {
  const isSome = selection.of === 'some'
  const named = new Set(isSome ? selection.keys : selection.except)
  for (const key of keys) {
    if (wanted === isSome) named.add(key)
    else named.delete(key)
  }
  return isSome ? { of: 'some', keys: named } : { of: 'all', except: named }
}

/** The selection with one row changed. */
export function toggled(selection: Selection, key: string): Selection {
  return withRows(selection, [key], !isSelected(selection, key))
}

/** The selection without rows that no longer exist; the same object if none of them was named. */
export function without(selection: Selection, gone: Iterable<string>): Selection {
  const named = selection.of === 'some' ? selection.keys : selection.except
  const left = new Set(named)
  for (const key of gone) left.delete(key)
  if (left.size === named.size) return selection
  return selection.of === 'some' ? { of: 'some', keys: left } : { of: 'all', except: left }
}

/** A range that Shift extends: from a row, on top of what was selected before it. */
export type Range = { readonly from: string; readonly before: Selection }

/**
 * The selection with the rows between the start of a range and another row, which replace those of the same range
 * before. `keys` are the loaded rows in order; if the range's start is not among them, it begins at the other row.
 */
export function extended({ from, before }: Range, keys: readonly string[], to: number): Selection {
  const start = keys.indexOf(from)
  const [first, last] = start < 0 ? [to, to] : start < to ? [start, to] : [to, start]
  return withRows(before, keys.slice(first, last + 1), true)
}
