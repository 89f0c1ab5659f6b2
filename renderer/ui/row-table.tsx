import type { ReactNode } from 'react'
import { TableHead } from './table-head.tsx'

type Props = {
  readonly labels: readonly string[]
  /** The accessible name of the column with the buttons of the rows. */
  readonly action?: string
  /** What is shown without rows; false if there are some. */
  readonly none: string | false
  readonly children: ReactNode
}

/** A table of few rows, for a screen that has several of them. */
export function RowTable({ labels, action, none, children }: Props) {
  if (none !== false) return <span className="faint">{none}</span>
  return (
    <table>
      <TableHead labels={labels} {...(action !== undefined && { action })} />
      <tbody>{children}</tbody>
    </table>
  )
}

export type DataColumn<Row> = {
  readonly label: string
  readonly render: (row: Row) => ReactNode
  readonly className?: string | undefined
  /** Whether the column names the row, or has its buttons. */
  readonly is?: 'name' | 'action'
}

type DataTableProps<Row> = {
  readonly rows: readonly Row[]
  readonly columns: readonly DataColumn<Row>[]
  readonly keyOf: (row: Row) => string
  /** What is shown without rows. */
  readonly none?: string
  readonly label?: string
}

/** A table described by its columns, for few rows that are all shown. */
export function DataTable<Row>({ rows, columns, keyOf, none, label }: DataTableProps<Row>) {
  if (rows.length === 0 && none !== undefined) return <span className="faint">{none}</span>
  return (
    <table aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.label} scope="col" className={column.className?.replace('mono', '')}>
              {column.is === 'action' ? (
                <span className="visually-hidden">{column.label}</span>
              ) : (
                column.label
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ label, render, className, is }) =>
              is === 'name' ? (
                <th key={label} scope="row" className={className}>
                  {render(row)}
                </th>
              ) : (
                <td key={label} className={className}>
                  {render(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
