import { type ReactNode, useEffect } from 'react'
import type { ChangingEntity } from '../../../shared/entities.ts'
import { useApplications } from '../../parts/access/application-names.ts'
import { followChanges, joinStops } from '../../parts/connection/change-subscription.ts'
import { onReturn } from '../../parts/connection/connection-state.ts'
import type { createPagedList } from '../../parts/connection/paged-list.ts'
import { FilterBar } from '../../parts/filters/filter-bar.tsx'
import type { FilterFieldOf } from '../../parts/filters/filter-fields.ts'
import { useRouteFilter } from '../../parts/filters/use-route-filter.ts'
import type { UseRowsOptions } from '../../parts/navigation/use-rows.ts'
import {
  type DrawerActions,
  ResourceList,
  type ResourceStrings,
  useResourceRows,
} from '../../parts/resource-screen/resource-list.tsx'
import type { Column } from '../../ui/grid/grid-row.tsx'
import type { IconName } from '../../ui/icon.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { MarkedSpan } from '../../ui/text/marked-span.tsx'
import { markText } from '../../ui/text/marked-text.tsx'
import { OtherDrawer } from './other-drawer.tsx'
import { strings } from './strings.ts'

const t = strings.filters

type Row = { readonly id: string }

type Props<Each extends Row, Field extends string> = Omit<UseRowsOptions<Each>, 'isOwner' | 'listQuery'> & {
  readonly source: ReturnType<typeof createPagedList<Each, Field>>
  readonly entity: ChangingEntity
  /** The name of the view in the query; undefined for the default. */
  readonly view: string | undefined
  /** `footer` says how long rows are kept. */
  readonly strings: ResourceStrings & { readonly footer: string; readonly words: string }
  readonly icon: IconName
  /** The fields of the filter besides the application. */
  readonly fields: readonly FilterFieldOf<Field>[]
  readonly columns: readonly Column<Each>[]
  readonly empty: ReactNode
  /** Reads a row that the list does not show. */
  readonly read: (id: string) => Promise<Each>
  /** What it means that a row no longer exists; by default, what `strings` say. */
  readonly renderGone?: (id: string) => ReactNode
  readonly renderDrawer: (row: Each, actions: DrawerActions) => ReactNode
  readonly onRemove?: (id: string) => Promise<unknown>
}

/** A list of the owner that the engine filters, with its filter bar, drawer and footer. */
export function FilteredList<Each extends Row, Field extends string>(props: Props<Each, Field>) {
  const { source, entity, view, strings: texts, fields, columns, empty, renderDrawer, onRemove } = props
  const { filter, q, isActive, bar } = useRouteFilter(fields)
  const { filterRows, read } = source
  useEffect(() => {
    void filterRows(filter)
    return joinStops(onReturn(read), followChanges([entity], read))
  }, [filterRows, read, entity, filter])
  const listQuery = { view, q }
  const list = useResourceRows<Each>('sessions', source, { isFixed: true, ...props, listQuery })
  const { more, rows: found, total } = source.useList()
  return (
    <ResourceList
      list={list}
      strings={texts}
      columns={columns}
      filters={{
        bar: <FilterBar label={texts.words} {...bar} savedQuery={listQuery} onLeave={list.search.onExit} />,
        isActive,
        onClear: () => bar.onFilter({ conditions: [], words: '' }),
      }}
      count={t.count([texts.one, texts.many], { found: found.length, total, isActive, more })}
      empty={empty}
      note={
        <>
          {texts.footer}
          {more && <ActionButton label={t.more} size="compact-xs" onClick={source.readMore} />}
        </>
      }
      renderDrawer={renderDrawer}
      renderOther={(id, actions) => (
        <OtherDrawer
          id={id}
          icon={props.icon}
          label={texts.drawer.label}
          entity={entity}
          gone={props.renderGone?.(id) ?? texts.drawer.gone}
          read={props.read}
          onClose={actions.onClose}
        >
          {(row) => renderDrawer(row, actions)}
        </OtherDrawer>
      )}
      {...(onRemove && { onRemove })}
    />
  )
}

/** The field of the application that made a row, with the names of all applications. */
export function useApplicationField() {
  const { rows: applications } = useApplications()
  return {
    field: 'app',
    label: t.application,
    icon: 'app',
    values: applications.map(({ id, name }) => ({ value: id, name: markText(name) })),
  } as const
}

/** A field with a value for each label. */
export function createChoices<Field extends string>(
  field: Field,
  label: string,
  names: Readonly<Record<string, string>>,
) {
  return {
    field,
    label,
    icon: 'filter',
    values: Object.entries(names).map(([value, name]) => ({ value, name })),
  } as const
}

/** The column of the application that made a row. */
export function createActorColumn(getName: (id: string | undefined) => string, from: number) {
  return {
    id: 'by',
    label: strings.by,
    width: 'minmax(100px, 1fr)',
    from,
    render: ({ created_by }) => <MarkedSpan className="clip dim" text={getName(created_by)} />,
  } satisfies Column<{ readonly created_by?: string | undefined }>
}
