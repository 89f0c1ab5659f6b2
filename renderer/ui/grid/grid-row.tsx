import '../waiting.css'
import type { ReactNode } from 'react'

export type Column<Row> = {
  readonly id: string
  readonly label: string
  /** A CSS grid track, such as `minmax(120px, 1fr)`. */
  readonly width: string
  readonly right?: true
  readonly render: (row: Row) => ReactNode
}

type At = { readonly gridTemplateColumns: string; readonly transform: string }

type RowProps<Row> = {
  readonly id: string
  readonly row: Row
  readonly columns: readonly Column<Row>[]
  readonly at: At
  readonly index: number
  readonly isActive: boolean
  readonly className: string
}

/** One row of a grid, positioned among all rows. */
export function GridRow<Row>({ id, row, columns, at, index, isActive, className }: RowProps<Row>) {
  return (
    <tr
      id={id}
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={isActive}
      className={`grid-row ${className}`}
      style={at}
    >
      {columns.map((column) => (
        <td key={column.id} className={`clip ${column.right ? 'grid-right' : ''}`}>
          {column.render(row)}
        </td>
      ))}
    </tr>
  )
}

/** The DOM id of a row, for `aria-activedescendant`. */
export function rowId(label: string, index: number): string {
  return `${label.replace(/\W+/g, '-').toLowerCase()}-row-${index}`
}

type WaitingProps = {
  readonly columns: readonly { readonly id: string }[]
  readonly at: At
  readonly index: number
}

/** A placeholder for a row that is loading. */
export function WaitingRow({ columns, at, index }: WaitingProps) {
  return (
    <tr className="grid-row grid-waiting" aria-rowindex={index + 2} style={at}>
      {columns.map((column) => (
        <td key={column.id}>
          <span className="bone" />
        </td>
      ))}
    </tr>
  )
}
