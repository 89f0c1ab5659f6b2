import type { Column } from '../../ui/grid/grid-row.tsx'
import { FaintTime } from '../../ui/time/faint-time.tsx'

/** The column that says when a row was created. */
export function createTimeColumn(id: string, label: string, from = 0) {
  return {
    id,
    label,
    width: '104px',
    from,
    render: ({ created_at }) => <FaintTime at={created_at} />,
  } satisfies Column<{ readonly created_at: string }>
}
