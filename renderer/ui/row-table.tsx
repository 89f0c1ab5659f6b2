import type { ReactNode } from 'react'

export type DataColumn<Row> = {
  readonly label: string
  readonly render: (row: Row) => ReactNode
  readonly className?: string | undefined
  readonly is?: 'name' | 'action'
}

type DataTableProps<Row> = {
  readonly rows: readonly Row[]
  readonly columns: readonly DataColumn<Row>[]
  readonly keyOf: (row: Row) => string
  /** Whether the row is open. */
  readonly isCurrent?: (row: Row) => boolean
  /** What is shown without rows. */
  readonly none?: string
  readonly label?: string
}

/** A table described by its columns, for few rows that are all shown. */
export function DataTable<Row>({ rows, columns, keyOf, isCurrent, none, label }: DataTableProps<Row>) {
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
          <tr key={keyOf(row)} aria-current={isCurrent?.(row) || undefined}>
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
