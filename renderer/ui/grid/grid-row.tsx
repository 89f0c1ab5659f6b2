import { memo, type ReactNode } from 'react'
import loadingStyles from '../loading.module.css'
import { strings } from '../strings.ts'
import { type CellEdit, CellEditor, type CellMove } from './cell-editor.tsx'
import gridStyles from './grid.module.css'
import type { CurrentCell } from './use-cell-editing.ts'

/** The height of a row and of the heading, in pixels. */
export const ROW_HEIGHT = 32

/** An order of the list, offered by a column. */
export type Sort = {
  readonly by: string
  readonly direction: 'ascending' | 'descending'
  /** For example `newest first`. */
  readonly label: string
}

/** The current order of a list, and the function that changes it. */
export type Sorting = { readonly sort: string; readonly onSort: (by: string) => void }

export type Column<Row> = {
  readonly id: string
  readonly label: string
  /** A CSS grid track, such as `minmax(120px, 1fr)`. */
  readonly width: string
  readonly right?: true
  /** The minimum list width, in pixels, at which the column is shown by default; if absent, it is always shown. */
  readonly from?: number
  /** The orders through which clicks on the header cycle. */
  readonly sorts?: readonly Sort[]
  readonly render: (row: Row) => ReactNode
  /** Without it, the cells cannot be edited. */
  readonly edit?: CellEdit<Row>
}

type RowProps<Row> = {
  readonly id: string
  readonly row: Row
  /** Pass the same array while the columns are unchanged, because a new array renders every row again. */
  readonly columns: readonly Column<Row>[]
  readonly index: number
  /** Whether the row is not among those in view, and stands where it would be if they were. */
  readonly isOutside: boolean
  /** Whether the row has the keyboard focus or is open. */
  readonly isActive: boolean
  readonly isSelected: boolean
  /** The state of the row's checkbox; undefined if the list has no checkboxes. */
  readonly isChecked: boolean | undefined
  readonly className: string
  /** The label of a line above the row. */
  readonly divider: string | undefined
  /** The current cell of the row; null for none. */
  readonly cell: CurrentCell | null
  readonly canEdit: boolean
  /** Pass the same function always. */
  readonly onEdited: (move: CellMove) => void
}

/** The class of a column's cells: text keeps apart from numbers before it. */
export function getCellClass<Row>(columns: readonly Column<Row>[], index: number): string {
  if (columns[index]?.right) return gridStyles.right ?? ''
  return (columns[index - 1]?.right && gridStyles.apart) ?? ''
}

/** One row. Memoized, so that scrolling renders only rows that come into view. */
export const GridRow = memo(function GridRow<Row>(props: RowProps<Row>) {
  const {
    id,
    row,
    columns,
    index,
    isOutside,
    isActive,
    isSelected,
    isChecked,
    className,
    divider,
    cell,
    canEdit,
    onEdited,
  } = props
  // A message below a cell covers the rows that follow.
  const isRaised =
    cell?.isEditing || columns.some(({ edit }) => edit?.findState?.(row)?.problem !== undefined)
  return (
    <tr
      id={id}
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-divider={divider}
      data-raised={isRaised || undefined}
      className={`${gridStyles.row} ${isActive ? gridStyles.active : ''} ${className}`}
      // The heading is a row too.
      {...(isOutside && { style: { position: 'absolute', top: (index + 1) * ROW_HEIGHT } })}
    >
      {isChecked !== undefined && (
        <td className={gridStyles.check} data-check>
          <Check label={strings.selectRow(index + 1)} checked={isChecked} />
        </td>
      )}
      {columns.map((column, index) => (
        <Cell
          key={column.id}
          row={row}
          column={column}
          className={`clip ${getCellClass(columns, index)}`}
          canEdit={canEdit}
          current={cell?.column === column.id ? cell : null}
          onEdited={onEdited}
        />
      ))}
    </tr>
  )
}) as <Row>(props: RowProps<Row>) => ReactNode

type CellProps<Row> = {
  readonly row: Row
  readonly column: Column<Row>
  readonly className: string
  readonly current: CurrentCell | null
  readonly canEdit: boolean
  readonly onEdited: (move: CellMove) => void
}

function Cell<Row>({ row, column, className, current, canEdit, onEdited }: CellProps<Row>) {
  const { id, label, edit, render } = column
  if (!edit) return <td className={className}>{render(row)}</td>
  const state = edit.findState?.(row)
  return (
    <td
      className={className}
      {...(canEdit && { 'data-edit': id })}
      {...(state && { 'data-changed': state.problem === undefined ? 'unsaved' : 'problem' })}
      {...(current && { 'data-current': current.isEditing ? 'editing' : 'focused' })}
    >
      {current?.isEditing ? <CellEditor row={row} label={label} edit={edit} onEnd={onEdited} /> : render(row)}
      {state?.problem !== undefined && <span className={gridStyles.cellProblem}>{state.problem}</span>}
    </td>
  )
}

type CheckProps = { readonly label: string; readonly checked: boolean; readonly some?: boolean }

/** A checkbox without handlers, because the grid handles its clicks and keys. */
export function Check({ label, checked, some = false }: CheckProps) {
  return (
    <input
      ref={(element) => {
        if (element) element.indeterminate = some
      }}
      type="checkbox"
      tabIndex={-1}
      aria-label={label}
      checked={checked}
      onChange={() => {}}
    />
  )
}

/** The DOM id of a row, for `aria-activedescendant`. */
export function rowId(label: string, index: number): string {
  return `${label.replace(/\W+/g, '-').toLowerCase()}-row-${index}`
}

type WaitingProps = { readonly cells: number; readonly index: number }

export function WaitingRow({ cells, index }: WaitingProps) {
  return (
    <tr className={`${gridStyles.row} ${gridStyles.waiting}`} aria-rowindex={index + 2}>
      {Array.from({ length: cells }, (_, at) => at).map((at) => (
        <td key={`cell ${at}`}>
          <span className={loadingStyles.bone} />
        </td>
      ))}
    </tr>
  )
}
