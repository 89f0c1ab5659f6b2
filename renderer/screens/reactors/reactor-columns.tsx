import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import { createColumns, createNameColumn } from '../../parts/resource-screen/columns.tsx'
import type { Column } from '../../ui/grid/grid-row.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { FaintTime } from '../../ui/time/faint-time.tsx'
import { strings as t } from './strings.ts'

export function createReactorColumns(
  isOpen: boolean,
  actor: (id: string) => string,
): readonly Column<ReactorObject>[] {
  const columns = createColumns<ReactorObject, keyof typeof t.columns>(t.columns, {
    name: createNameColumn('bolt', isOpen ? 'minmax(120px, 1fr)' : 'minmax(120px, 1.3fr)'),
    application: {
      width: 'minmax(100px, 1fr)',
      render: ({ application }) =>
        application ? (
          <MarkedText text={actor(application.id)} />
        ) : (
          <span className="faint">{t.noApplication}</span>
        ),
    },
    configuration: {
      width: '110px',
      render: ({ configuration }) => {
        const n = Object.keys(configuration).length
        return <span className={n === 0 ? 'faint' : 'dim'}>{t.entries(n)}</span>
      },
    },
    code: {
      width: '90px',
      render: ({ code }) => <span className="dim">{t.lines(code.trimEnd().split('\n').length)}</span>,
    },
    changed: {
      width: '104px',
      right: true,
      render: ({ created_at, modified_at }) => <FaintTime at={modified_at ?? created_at} />,
    },
  })
  return isOpen ? columns.slice(0, 1) : columns
}
