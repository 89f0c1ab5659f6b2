import gridStyles from '../../ui/grid/grid.module.css'
import type { Column } from '../../ui/grid/grid-row.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { MarkedSpan } from '../../ui/text/marked-span.tsx'
import { FaintTime } from '../../ui/time/faint-time.tsx'

type UnlabelledColumn<Row> = Omit<Column<Row>, 'id' | 'label'>

/** Columns by their ids, each with its label. Those that the viewer may not see are false. */
export function createColumns<Row, Id extends string>(
  labels: Readonly<Record<Id, string>>,
  columns: Readonly<Record<NoInfer<Id>, UnlabelledColumn<Row> | false>>,
): readonly Column<Row>[] {
  const labelled: Readonly<Record<string, string>> = labels
  return Object.entries<UnlabelledColumn<Row> | false>(columns).flatMap(([id, column]) =>
    column ? [{ id, label: labelled[id] ?? id, ...column }] : [],
  )
}

/** The content of a cell: an icon, and a text that is cut at its end. */
export function IconText({ icon, text }: { icon: IconName; text: string }) {
  return (
    <span className={gridStyles.type}>
      <Icon name={icon} size={14} />
      <MarkedSpan className="clip" text={text} />
    </span>
  )
}

/** The first column of a list: the icon of its resource, and the name of the row. */
export function createNameColumn(icon: IconName, width: string) {
  return {
    width,
    render: ({ name }) => <IconText icon={icon} text={name} />,
  } satisfies UnlabelledColumn<{ readonly name: string }>
}

/** The column that says when a row was created. */
export function createTimeColumn(from = 0) {
  return {
    width: '104px',
    from,
    render: ({ created_at }) => <FaintTime at={created_at} />,
  } satisfies UnlabelledColumn<{ readonly created_at: string }>
}
