import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { CellMove } from './cell-editor.tsx'
import type { Column } from './grid-row.tsx'

/** The cell with the keyboard focus in the current row, and whether it is being edited. */
export type CurrentCell = { readonly column: string; readonly isEditing: boolean }
/** The cell, and the key of the row in which it is edited; null if it is not. */
type EditedCell = { readonly column: string; readonly row: string | null }

/** How a list learns about the editing of its cells. */
export type Editing = {
  /** Called with the key of the row in which a cell is being edited; null once none is. Pass the same function always. */
  readonly onRow: (key: string | null) => void
  /** Called if the row with the current cell is gone. */
  readonly onGone: () => void
}

type CellEditingOptions<Row> = {
  readonly columns: readonly Column<Row>[]
  readonly active: number
  readonly count: number
  readonly editing: Editing | false
  /** The key of the row at an index; null if there is none, or while it is loading. */
  readonly findKey: (index: number) => string | null
  readonly moveTo: (index: number) => void
  readonly focusTable: () => void
  /** Called if the row with the current cell is gone. */
  readonly onLost: () => void
}

/** The keyboard in cells that can be edited: → enters the row's cells, Enter edits, Escape leaves them. */
export function useCellEditing<Row>({ columns, active, count, editing, ...grid }: CellEditingOptions<Row>) {
  const [cell, setCell] = useState<EditedCell | null>(null)
  const ids = editing ? columns.flatMap(({ id, edit }) => (edit ? [id] : [])) : []
  const at = cell ? ids.indexOf(cell.column) : -1

  /** Goes to the next cell. While editing, the first one of the next row follows the last one of a row. */
  function moveCell(by: -1 | 1, isEditing: boolean): void {
    const column = ids[at + by]
    const wrapped = by > 0 ? ids[0] : ids.at(-1)
    const row = active + by
    if (column !== undefined) setCell({ column, row: isEditing ? grid.findKey(active) : null })
    else if (!isEditing) setCell((before) => (by < 0 ? null : before))
    else if (wrapped === undefined || row < 0 || row >= count) stopEditing()
    else editInRow(row, wrapped)
  }
  function editInRow(row: number, column: string): void {
    grid.moveTo(row)
    setCell({ column, row: grid.findKey(row) })
  }
  function stopEditing(): void {
    setCell((before) => before && { ...before, row: null })
    grid.focusTable()
  }
  function endEditing(move: CellMove): void {
    const row = active + (move === 'up' ? -1 : 1)
    if (move === 'left') moveCell(-1, true)
    else if (move === 'right') moveCell(1, true)
    else if (move === 'stay' || !cell || row < 0 || row >= count) stopEditing()
    else editInRow(row, cell.column)
  }
  function findKeyAction({ key, shiftKey }: KeyboardEvent): (() => void) | undefined {
    if (active < 0 || shiftKey || ids.length === 0) return undefined
    if (key === 'ArrowRight') return () => moveCell(1, false)
    if (key === 'F2') return () => editCell(active, ids[Math.max(0, at)])
    return at < 0 ? undefined : findCellAction(key)
  }
  function findCellAction(key: string): (() => void) | undefined {
    if (key === 'ArrowLeft') return () => moveCell(-1, false)
    if (key === 'Enter') return () => editCell(active, ids[at])
    return key === 'Escape' ? () => setCell(null) : undefined
  }
  function editCell(row: number, column: string | undefined): void {
    if (column !== undefined && ids.includes(column)) setCell({ column, row: grid.findKey(row) })
  }
  // If the edited row is gone, another one becomes current. What is typed next is not meant for it.
  const isEditing = cell !== null && cell.row !== null && cell.row === grid.findKey(active)
  const current: CurrentCell | null = cell && at >= 0 ? { column: cell.column, isEditing } : null
  useEditedRow(isEditing ? cell.row : null, editing ? editing.onRow : false)
  useLostRow(cell !== null, active >= 0, () => {
    stopEditing()
    setCell(null)
    grid.onLost()
  })
  return { cell: current, editCell, endEditing, findKeyAction, leaveCells: () => setCell(null) }
}

/** Calls `onLost` if the row with the current cell is no longer in the list. */
function useLostRow(hasCell: boolean, hasRow: boolean, onLost: () => void): void {
  const wasShown = useRef(false)
  useEffect(() => {
    if (wasShown.current && hasCell && !hasRow) onLost()
    wasShown.current = hasCell && hasRow
  })
}

function useEditedRow(key: string | null, onRow: Editing['onRow'] | false): void {
  useEffect(() => {
    if (!onRow) return
    onRow(key)
    return () => onRow(null)
  }, [onRow, key])
}
