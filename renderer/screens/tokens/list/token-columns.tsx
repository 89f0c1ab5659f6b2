import type { Token } from '../../../../shared/schemas/token.ts'
import { DataCell } from '../../../parts/tokens/data-cell.tsx'
import { iconOf, nameOf } from '../../../parts/tokens/token-types.ts'
import { Crumbs } from '../../../ui/crumbs.tsx'
import type { Column } from '../../../ui/grid/grid-row.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Time } from '../../../ui/time/time.tsx'
import { strings } from '../strings.ts'

const t = strings

/** The columns of the list. */
export function tokenColumns(pickContainer: (scope: string) => void): readonly Column<Token>[] {
  return [
    {
      id: 'id',
      label: t.columns.id,
      // The width of a UUID.
      width: 'minmax(120px, 264px)',
      render: ({ id }) => <span className="mono">{id}</span>,
    },
    {
      id: 'type',
      label: t.columns.type,
      width: 'minmax(90px, 0.9fr)',
      render: ({ type }) => (
        <span className="cell-type">
          <Icon name={iconOf(type)} size={14} />
          <span className="clip">{nameOf(type)}</span>
        </span>
      ),
    },
    {
      id: 'data',
      label: t.columns.data,
      width: 'minmax(160px, 1.7fr)',
      render: (token) => <DataCell token={token} />,
    },
    {
      id: 'container',
      label: t.columns.container,
      width: 'minmax(90px, 1fr)',
      render: ({ containers }) => (
        <>
          <Crumbs path={containers[0] ?? '/'} label={t.inContainer} onPick={pickContainer} />
          {containers.length > 1 && <span className="cell-more">+{containers.length - 1}</span>}
        </>
      ),
    },
    {
      id: 'age',
      label: t.columns.age,
      width: '64px',
      right: true,
      render: ({ created_at }) => (
        <span className="faint">
          <Time at={created_at} bare />
        </span>
      ),
    },
  ]
}
