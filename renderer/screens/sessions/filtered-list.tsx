import { Button, SegmentedControl, Select } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import type { ChangingEntity } from '../../../shared/entities.ts'
import { useApplications } from '../../parts/access/application-names.ts'
import { followChanges } from '../../parts/connection/change-subscription.ts'
import { onReturn } from '../../parts/connection/connection-state.ts'
import type { createPagedList, ListFilters } from '../../parts/connection/paged-list.ts'
import { navigate, useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
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
import screenStyles from '../../ui/screen.module.css'
import { markText } from '../../ui/text/marked-text.tsx'
import { OtherDrawer } from './other-drawer.tsx'
import { strings } from './strings.ts'

const t = strings.filters

type Row = { readonly id: string }

type Props<Each extends Row> = Omit<UseRowsOptions<Each>, 'isOwner' | 'listQuery'> & {
  readonly source: ReturnType<typeof createPagedList<Each>>
  readonly entity: ChangingEntity
  /** The name of the view in the query; undefined for the default. */
  readonly view: string | undefined
  /** `footer` says how long rows are kept. */
  readonly strings: ResourceStrings & { readonly footer: string }
  readonly icon: IconName
  readonly choice: FilterChoice
  readonly columns: readonly Column<Each>[]
  readonly empty: ReactNode
  /** Reads a row that the list does not show. */
  readonly read: (id: string) => Promise<Each>
  /** What it means that a row no longer exists; by default, what `strings` say. */
  readonly renderGone?: (id: string) => ReactNode
  readonly renderDrawer: (row: Each, actions: DrawerActions) => ReactNode
  readonly onRemove?: (id: string) => Promise<unknown>
}

/** The choice besides the application: its member of the query, and its values with their labels. */
type FilterChoice = {
  readonly by: 'state' | 'type'
  readonly label: string
  readonly values: Readonly<Record<string, string>>
}

/** A list of the owner that the engine filters, with its filter bar, drawer and footer. */
export function FilteredList<Each extends Row>({
  source,
  entity,
  view,
  strings: texts,
  icon,
  choice,
  columns,
  empty,
  read,
  renderGone,
  renderDrawer,
  onRemove,
  ...rows
}: Props<Each>) {
  const { listQuery, ...filters } = useFilters({ source, entity, view, choice })
  const list = useResourceRows<Each>('sessions', source, { isFixed: true, ...rows, listQuery })
  const { more, rows: found, total } = source.useList()
  return (
    <ResourceList
      list={list}
      strings={texts}
      columns={columns}
      filters={filters}
      count={t.count([texts.one, texts.many], {
        found: found.length,
        total,
        isActive: filters.isActive,
        more,
      })}
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
          icon={icon}
          label={texts.drawer.label}
          entity={entity}
          gone={renderGone ? renderGone(id) : texts.drawer.gone}
          read={read}
          onClose={actions.onClose}
        >
          {(row) => renderDrawer(row, actions)}
        </OtherDrawer>
      )}
      {...(onRemove && { onRemove })}
    />
  )
}

type Filtered<Each extends Row> = Pick<Props<Each>, 'source' | 'entity' | 'view' | 'choice'>

/** The filters of the route, which are applied to the list, and the bar that changes them. */
function useFilters<Each extends Row>({ source, entity, view, choice }: Filtered<Each>) {
  const { query } = useRoute()
  const { app } = query
  const chosen = query[choice.by]
  const { filterRows, read } = source
  useEffect(() => {
    void filterRows({ app, [choice.by]: chosen })
    const stops = [onReturn(read), followChanges([entity], read)]
    return () => {
      for (const stop of stops) stop()
    }
  }, [filterRows, read, entity, app, choice.by, chosen])
  const listQuery = { view, app, [choice.by]: chosen }
  const isActive = app !== undefined || chosen !== undefined
  const changeFilters = (part: ListFilters) => navigate(toHref('sessions', null, { ...listQuery, ...part }))
  const clearFilters = () => changeFilters({ app: undefined, [choice.by]: undefined })
  const bar = <FilterBar choice={choice} onChange={changeFilters} onClear={isActive ? clearFilters : null} />
  return { listQuery, bar, isActive, onClear: clearFilters }
}

type BarProps = {
  readonly choice: FilterChoice
  readonly onChange: (part: ListFilters) => void
  /** Null if there is nothing to clear. */
  readonly onClear: (() => void) | null
}

function FilterBar({ choice: { by, label, values }, onChange, onClear }: BarProps) {
  const { query } = useRoute()
  const chosen = query[by]
  const data = Object.entries(values).map(([value, name]) => ({ value, label: name }))
  return (
    <search className={screenStyles.filters} aria-label={t.label}>
      {by === 'state' ? (
        <SegmentedControl
          aria-label={label}
          data={[{ value: '', label: t.all }, ...data]}
          value={chosen ?? ''}
          onChange={(value) => onChange({ state: value })}
        />
      ) : (
        <Select
          aria-label={label}
          placeholder={label}
          clearable
          searchable
          data={data}
          value={chosen ?? null}
          onChange={(value) => onChange({ type: value ?? undefined })}
          w={170}
        />
      )}
      <ApplicationChoice value={query.app} onChange={(value) => onChange({ app: value })} />
      {onClear && (
        <Button variant="subtle" color="gray" onClick={onClear}>
          {t.clear}
        </Button>
      )}
    </search>
  )
}

type ChoiceProps = {
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}

function ApplicationChoice({ value, onChange }: ChoiceProps) {
  const { rows: applications } = useApplications()
  const isListed = value === undefined || applications.some(({ id }) => id === value)
  return (
    <Select
      aria-label={t.application}
      placeholder={t.application}
      clearable
      searchable
      data={[
        ...applications.map(({ id, name }) => ({ value: id, label: markText(name) })),
        ...(isListed ? [] : [{ value, label: value }]),
      ]}
      value={value ?? null}
      onChange={(to) => onChange(to ?? undefined)}
      w={170}
    />
  )
}
