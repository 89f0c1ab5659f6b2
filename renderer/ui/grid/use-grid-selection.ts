import { type RefObject, useEffect, useRef } from 'react'
import {
  everythingSelected,
  extendRange,
  type GridSelection,
  isEmptySelection,
  nothingSelected,
  type ShiftRange,
  toggleSelected,
} from './selection.ts'

export type GridSelectionProps<Row> = {
  readonly count: number
  /** Returns the row at an index; undefined while it is loading. */
  readonly row: (index: number) => Row | undefined
  readonly keyOf: (row: Row) => string
  /** The index of the row with the keyboard focus; -1 for none. */
  readonly active: number
  /** Enables multiple selection. */
  readonly selecting?: {
    readonly selection: GridSelection
    readonly onSelect: (selection: GridSelection) => void
  }
}

/** The selected rows of a grid, and the functions that select. Without `selecting`, they do nothing. */
export function useGridSelection<Row>(
  { count, row, keyOf, active, selecting }: GridSelectionProps<Row>,
  table: RefObject<HTMLElement | null>,
) {
  const range = useRef<ShiftRange | null>(null)
  const isNone = selecting === undefined || isEmptySelection(selecting.selection)
  useSelectAll(table, selecting && count > 0 ? () => setSelection(everythingSelected) : undefined)

  function setSelection(selection: GridSelection, from: ShiftRange | null = null): void {
    range.current = from
    selecting?.onSelect(selection)
  }
  const getKeyAt = (index: number) => {
    const value = row(index)
    return value === undefined ? undefined : keyOf(value)
  }
  return {
    isNone,
    toggleAll: () => setSelection(isNone ? everythingSelected : nothingSelected),
    toggleRow(index: number): void {
      const key = getKeyAt(index)
      if (!selecting || key === undefined) return
      const selection = toggleSelected(selecting.selection, key)
      setSelection(selection, { from: key, before: selection })
    },
    /** Selects the rows from the start of the range, or from the row with the keyboard focus, to the given one. */
    extendSelection(to: number): void {
      const from = getKeyAt(active) ?? getKeyAt(to)
      if (!selecting || from === undefined) return
      const since = range.current ?? { from, before: selecting.selection }
      const keys = Array.from({ length: count }, (_, index) => getKeyAt(index)).filter(
        (key) => key !== undefined,
      )
      setSelection(extendRange(since, keys, Math.min(to, keys.length - 1)), since)
    },
    /** Starts the next range at the row that then has the keyboard focus, unless rows are selected. */
    leaveRange(): void {
      if (isNone) range.current = null
    },
  }
}

/** Selects all rows on Ctrl+A while the focus is in the table or on the screen. In a field, Ctrl+A selects its text. */
function useSelectAll(table: RefObject<HTMLElement | null>, selectAll?: () => void): void {
  const latest = useRef(selectAll)
  latest.current = selectAll
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      const { target } = event
      const isInTable =
        target instanceof Element &&
        !target.matches('input[type="text"]') &&
        (table.current?.contains(target) || target.matches('body, main'))
      if (!latest.current || !isInTable || event.defaultPrevented) return
      if (event.key.toLowerCase() !== 'a' || !(event.ctrlKey || event.metaKey) || event.shiftKey) return
      if (document.querySelector('[role="dialog"][aria-modal="true"]')) return
      event.preventDefault()
      latest.current()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [table])
}
