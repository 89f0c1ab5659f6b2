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
