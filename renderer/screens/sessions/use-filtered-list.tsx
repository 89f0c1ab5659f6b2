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
import { useResourceRows } from '../../parts/resource-screen/resource-list.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import screenStyles from '../../ui/screen.module.css'
import { markText } from '../../ui/text/marked-text.tsx'
import { strings } from './strings.ts'

const t = strings.filters

type Row = { readonly id: string }

type Options<Each extends Row> = Omit<UseRowsOptions<Each>, 'isOwner' | 'listQuery'> & {
  readonly source: ReturnType<typeof createPagedList<Each>>
  readonly entity: ChangingEntity
  /** The name of the view in the query; undefined for the default. */
  readonly view: string | undefined
  readonly nouns: readonly [one: string, many: string]
  readonly choice: FilterChoice
}

/** The choice besides the application: its member of the query, and its values with their labels. */
type FilterChoice = {
  readonly by: 'state' | 'type'
  readonly label: string
  readonly values: Readonly<Record<string, string>>
}

/** A list of the owner that the engine filters: its rows, filter bar, count and footer. */
export function useFilteredList<Each extends Row>(options: Options<Each>) {
  const { source, entity, view, nouns, choice, ...rows } = options
  const { query } = useRoute()
  const { app } = query
  const chosen = query[choice.by]
  const { filterRows, read, readMore } = source
  useEffect(() => {
    void filterRows({ app, [choice.by]: chosen })
    const stops = [onReturn(read), followChanges([entity], read)]
    return () => {
      for (const stop of stops) stop()
    }
  }, [filterRows, read, entity, app, choice.by, chosen])
  const listQuery = { view, app, [choice.by]: chosen }
  const list = useResourceRows<Each>('sessions', source, { isFixed: true, ...rows, listQuery })
  const { more, rows: found, total } = source.useList()
  const isActive = app !== undefined || chosen !== undefined
  const changeFilters = (part: ListFilters) => navigate(toHref('sessions', null, { ...listQuery, ...part }))
  const clearFilters = () => changeFilters({ app: undefined, [choice.by]: undefined })
  return {
    list,
    filters: {
      bar: <FilterBar choice={choice} onChange={changeFilters} onClear={isActive ? clearFilters : null} />,
      isActive,
      onClear: clearFilters,
    },
    count: t.count(nouns, { found: found.length, total, isActive, more }),
    footer: (note: ReactNode) => (
      <>
        {note}
        {more && <ActionButton label={t.more} size="compact-xs" onClick={readMore} />}
      </>
    ),
  }
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
