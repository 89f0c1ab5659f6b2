import '../loading.css'
import { memo, type ReactNode } from 'react'
import { strings } from '../strings.ts'

/** An order that a list can be in, as a column shows it. */
export type Sort = {
  readonly by: string
  readonly direction: 'ascending' | 'descending'
  /** Such as `newest first`. */
  readonly label: string
}

/** The order of a list that has a choice of them. */
export type Sorting = { readonly sort: string; readonly onSort: (by: string) => void }

export type Column<Row> = {
  readonly id: string
  readonly label: string
  /** A CSS grid track, such as `minmax(120px, 1fr)`. */
  readonly width: string
  readonly right?: true
  /** Shown by default where the list is at least this wide, in pixels; everywhere if absent. */
  readonly from?: number
  /** The orders that a click on its head goes through. */
  readonly sorts?: readonly Sort[]
  readonly render: (row: Row) => ReactNode
}

type RowProps<Row> = {
  readonly id: string
  readonly row: Row
  /** Rows are drawn again when this is another array. */
  readonly columns: readonly Column<Row>[]
  /** The distance from the top of the body, in pixels. */
  readonly y: number
  readonly index: number
  /** Whether the keyboard is at this row, or it is open. */
  readonly isActive: boolean
  /** Whether actions concern this row. */
  readonly isSelected: boolean
  /** Whether its checkbox is checked; undefined without checkboxes. */
  readonly isChecked: boolean | undefined
  readonly className: string
}

/** One row of a grid, positioned among all rows. Scrolling draws only the rows that come into view. */
export const GridRow = memo(function GridRow<Row>(props: RowProps<Row>) {
  const { id, row, columns, y, index, isActive, isSelected, isChecked, className } = props
  return (
    <tr
      id={id}
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      className={`grid-row ${isActive ? 'grid-active' : ''} ${className}`}
      style={{ transform: `translateY(${y}px)` }}
    >
      {isChecked !== undefined && (
        <td className="grid-check">
          <Check label={strings.selectRow(index + 1)} checked={isChecked} />
        </td>
      )}
      {columns.map((column) => (
        <td key={column.id} className={`clip ${column.right ? 'grid-right' : ''}`}>
          {column.render(row)}
        </td>
      ))}
    </tr>
  )
}) as <Row>(props: RowProps<Row>) => ReactNode

type CheckProps = { readonly label: string; readonly checked: boolean; readonly some?: boolean }

/** A checkbox whose clicks the grid handles, like the keys that do the same. */
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

type WaitingProps = {
  /** How many cells it has. */
  readonly cells: number
  readonly y: number
  readonly index: number
}

/** A placeholder for a row that is loading. */
export function WaitingRow({ cells, y, index }: WaitingProps) {
  return (
    <tr
      className="grid-row grid-waiting"
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${y}px)` }}
    >
      {Array.from({ length: cells }, (_, at) => at).map((at) => (
        <td key={`cell ${at}`}>
          <span className="bone" />
        </td>
      ))}
    </tr>
  )
}
