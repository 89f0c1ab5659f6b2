import gridStyles from '../../ui/grid/grid.module.css'
import type { Column } from '../../ui/grid/grid-row.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { MarkedSpan } from '../../ui/text/marked-span.tsx'

/** The first column of a list: the icon of its resource, and the name of the row. */
export function createNameColumn(icon: IconName, label: string, width: string) {
  return {
    id: 'name',
    label,
    width,
    render: ({ name }) => (
      <span className={gridStyles.type}>
        <Icon name={icon} size={14} />
        <MarkedSpan className="clip" text={name} />
      </span>
    ),
  } satisfies Column<{ readonly name: string }>
}
