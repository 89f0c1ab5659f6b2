import { useRef } from 'react'
import type { Suggestion } from '../../../../shared/find.ts'
import { useViewAs } from '../../../parts/access/view-as.ts'
import { useSearchKeys } from '../../../parts/navigation/search-keys.ts'
import { getTypeIcon, getTypeName } from '../../../parts/tokens/token-types.ts'
import { FilterField, useFilterText } from '../../../ui/fields/filter-field.tsx'
import type { IconName } from '../../../ui/icon.tsx'
import { markText } from '../../../ui/text/marked-text.tsx'
import { strings } from '../strings.ts'
import {
  createChips,
  type FilterChip,
  type Filters,
  limitFilters,
  withFilter,
  withSuggestion,
} from './token-filters.ts'
import { useSuggestions } from './use-suggestions.ts'

const t = strings.filters

type Props = {
  readonly filters: Filters
  readonly onChange: (filters: Filters) => void
  /** Moves the focus to the rows. */
  readonly onLeave: () => void
}

/** One search box for all filters: filters as chips, then the query, then suggestions for it. */
export function FilterSearch({ filters, onChange, onLeave }: Props) {
  const field = useRef<HTMLInputElement>(null)
  const { as } = useViewAs()
  const { q = '' } = filters
  const typing = useFilterText({
    applied: q,
    onApply(text) {
      if (text !== q) onChange(withFilter(filters, 'q', text || undefined, as !== null))
      return text
    },
  })
  useSearchKeys(field, typing.setText)
  const suggestions = useSuggestions(typing.input, typing.combobox.dropdownOpened)
  return (
    <FilterField
      typing={typing}
      label={t.search}
      field={field}
      onLeave={onLeave}
      note={as && t.limited(markText(as.name))}
      chips={createChips(filters).map((chip) => ({
        icon: chip.kind === 'type' ? getTypeIcon(chip.text) : icons[chip.kind],
        kind: t.kinds[chip.kind],
        text: chip.kind === 'type' ? getTypeName(chip.text) : chip.text,
        onRemove: () => onChange(chip.without),
      }))}
      options={suggestions.map((each) => ({
        kind: each.kind === 'id' ? t.kinds.token : t.kinds[each.kind],
        text: formatSuggestion(each),
        onChoose() {
          const next = withSuggestion(filters, each)
          onChange(as ? limitFilters({ container: next.container, type: next.type }) : next)
          return undefined
        },
      }))}
    />
  )
}

const icons: Record<FilterChip['kind'], IconName> = {
  container: 'folder',
  type: 'token',
  fingerprint: 'hash',
  last4: 'card',
  token: 'key',
  created: 'download',
  metadata: 'info',
}

function formatSuggestion(suggestion: Suggestion): string {
  if (suggestion.kind === 'type') return getTypeName(suggestion.value)
  if (suggestion.kind !== 'metadata') return suggestion.value
  const { key, value } = suggestion
  return value === undefined ? t.anyValue(key) : `${key}: ${value}`
}
