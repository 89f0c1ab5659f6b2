import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import { createNameColumn } from '../../parts/resource-screen/name-column.tsx'
import type { Column } from '../../ui/grid/grid-row.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { FaintTime } from '../../ui/time/faint-time.tsx'
import { strings as t } from './strings.ts'

/** The only column that stays visible next to an open reactor. */
const name: Column<ReactorObject> = createNameColumn('bolt', t.columns.name, 'minmax(120px, 1fr)')

export function createReactorColumns(
  isOpen: boolean,
  actor: (id: string) => string,
): readonly Column<ReactorObject>[] {
  if (isOpen) return [name]
  return [
    { ...name, width: 'minmax(120px, 1.3fr)' },
    {
      id: 'application',
      label: t.columns.application,
      width: 'minmax(100px, 1fr)',
      render: ({ application }) =>
        application ? (
          <MarkedText text={actor(application.id)} />
        ) : (
          <span className="faint">{t.noApplication}</span>
        ),
    },
    {
      id: 'configuration',
      label: t.columns.configuration,
      width: '110px',
      render: ({ configuration }) => {
        const n = Object.keys(configuration).length
        return <span className={n === 0 ? 'faint' : 'dim'}>{t.entries(n)}</span>
      },
    },
    {
      id: 'code',
      label: t.columns.code,
      width: '90px',
      render: ({ code }) => <span className="dim">{t.lines(code.trimEnd().split('\n').length)}</span>,
    },
    {
      id: 'changed',
      label: t.columns.changed,
      width: '104px',
      right: true,
      render: ({ created_at, modified_at }) => <FaintTime at={modified_at ?? created_at} />,
    },
  ]
}
