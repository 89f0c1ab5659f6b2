import { Button } from '@mantine/core'
import { useIsOwner, useViewAs } from '../../parts/access/view-as.ts'
import { FilterBar } from '../../parts/filters/filter-bar.tsx'
import type { FilterFieldOf } from '../../parts/filters/filter-fields.ts'
import { SavedFilters } from '../../parts/filters/saved-filters.tsx'
import { showToast } from '../../parts/messages/toast.tsx'
import { Choice } from '../../ui/fields/choice.tsx'
import { markText } from '../../ui/text/marked-text.tsx'
import {
  getOutcomeFilter,
  limitFilter,
  type RecordField,
  type RecordFilter,
  toRecordFilter,
  toRouteQuery,
  withOutcome,
} from './record.ts'
import { strings } from './strings.ts'

const t = strings.filters

type Props = {
  readonly fields: readonly FilterFieldOf<RecordField>[]
  readonly filter: RecordFilter
  readonly onFilter: (filter: RecordFilter) => void
  readonly byProgram: boolean
  readonly onProgram: (byProgram: boolean) => void
  readonly hidesOwn: boolean
  readonly onHideOwn: (hides: boolean) => void
  /** Moves the focus to the rows. */
  readonly onLeave: () => void
}

export function RecordFilterBar(props: Props) {
  const { fields, filter, byProgram, onProgram, hidesOwn, onHideOwn, onLeave } = props
  const as = useViewAs((state) => state.as)
  const isOwner = useIsOwner()
  const limit = as && t.limited(markText(as.name))
  function onFilter(next: RecordFilter) {
    if (limit === null) return props.onFilter(next)
    const typed = toRecordFilter(toRouteQuery(next))
    const limited = limitFilter(typed)
    if (limited.conditions.length < typed.conditions.length) showToast(limit)
    props.onFilter(limited)
  }
  return (
    <FilterBar
      label={as ? t.searchAs : t.search}
      fields={fields}
      filter={filter}
      onFilter={onFilter}
      onLeave={onLeave}
      limit={limit}
      before={
        <Choice
          label={t.outcome}
          of={t.outcomes}
          value={getOutcomeFilter(filter)}
          onChange={(outcome) => onFilter(withOutcome(filter, outcome))}
        />
      }
    >
      {isOwner && (
        <>
          <Button
            variant={hidesOwn ? 'light' : 'default'}
            aria-pressed={hidesOwn}
            title={t.hideOwnHelp}
            onClick={() => onHideOwn(!hidesOwn)}
          >
            {t.hideOwn}
          </Button>
          <Button
            variant={byProgram ? 'light' : 'default'}
            aria-pressed={byProgram}
            onClick={() => onProgram(!byProgram)}
          >
            {t.byProgram}
          </Button>
          <SavedFilters
            screen="requests"
            query={{ ...toRouteQuery(filter), by: byProgram ? 'program' : undefined }}
            isFiltered={filter.conditions.length > 0 || filter.words !== ''}
          />
        </>
      )}
    </FilterBar>
  )
}
