import { Combobox, Pill, PillsInput, useCombobox } from '@mantine/core'
import { type ComponentProps, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import type { Suggestion } from '../../../../shared/find.ts'
import { useViewAs } from '../../../parts/access/view-as.ts'
import { getTypeIcon, getTypeName } from '../../../parts/tokens/token-types.ts'
import { Icon, type IconName } from '../../../ui/icon.tsx'
import { MarkedSpan } from '../../../ui/text/marked-span.tsx'
import { MarkedText, markText } from '../../../ui/text/marked-text.tsx'
import { strings } from '../strings.ts'
import styles from './filter-search.module.css'
import {
  createChips,
  type FilterChip,
  type Filters,
  isQuery,
  limitFilters,
  withFilter,
  withSuggestion,
} from './token-filters.ts'
import { useSuggestions } from './use-suggestions.ts'

const t = strings.filters
const SEARCH_DELAY_MS = 60

type Props = {
  readonly filters: Filters
  readonly onChange: (filters: Filters) => void
  readonly field: RefObject<HTMLInputElement | null>
  /** Moves the focus to the rows. */
  readonly onLeave: () => void
}

/** One search box for all filters: filters as chips, then the query, then suggestions for it. */
export function FilterSearch({ filters, onChange, field, onLeave }: Props) {
  const { as } = useViewAs()
  const { q = '' } = filters
  const [text, setText] = useState(q)
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const input = text.trim()
  const suggestions = useSuggestions(input, combobox.dropdownOpened)
  const chips = createChips(filters)
  const search = useRef<(text: string) => void>(() => {})
  // The last query applied by this field. When the route's query changes to this value, text typed since then
  // must stay.
  const sent = useRef(q)
  search.current = (query) => {
    sent.current = query
    if (query !== q) onChange(withFilter(filters, 'q', query || undefined, as !== null))
  }
  useEffect(() => {
    if (q !== sent.current) setText(q)
    sent.current = q
  }, [q])
  useEffect(() => {
    if (input === q) return
    // Calls the search through a ref, so that this effect runs only when the input changes. If it also ran
    // when rows change, an open form would ask again about unsaved input.
    const timer = setTimeout(() => search.current(input), SEARCH_DELAY_MS)
    return () => clearTimeout(timer)
  }, [input, q])
  function leaveSearch(from: HTMLElement): void {
    // If there are no rows, Escape moves the focus to the screen.
    from.closest('main')?.focus({ preventScroll: true })
    onLeave()
  }
  const options = suggestions.map((each) => ({ each, name: JSON.stringify(each) }))
  const isOpen = combobox.dropdownOpened && (options.length > 0 || as !== null)
  function chooseSuggestion(name: string) {
    const chosen = options.find((option) => option.name === name)?.each
    combobox.closeDropdown()
    if (!chosen) return
    setText('')
    sent.current = ''
    const next = withSuggestion(filters, chosen)
    onChange(as ? limitFilters({ container: next.container, type: next.type }) : next)
  }
  function handleKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    if (event.nativeEvent.isComposing) return
    const last = chips.at(-1)
    if (event.key === 'Backspace' && text === '' && last) {
      event.preventDefault()
      onChange(last.without)
    } else if (event.key === 'Enter' && combobox.getSelectedOptionIndex() < 0) {
      combobox.closeDropdown()
      search.current(input)
    } else if (event.key === 'Escape') handleEscape(event)
  }
  function handleEscape(event: KeyboardEvent<HTMLInputElement>): void {
    event.stopPropagation()
    if (isOpen) combobox.closeDropdown()
    else if (text !== '') setText('')
    else leaveSearch(event.currentTarget)
  }
  return (
    <Combobox store={combobox} onOptionSubmit={chooseSuggestion} withinPortal={false} shadow="md">
      <Combobox.DropdownTarget>
        <PillsInput
          className={styles.root}
          classNames={{ input: styles.input }}
          leftSection={<Icon name="search" size={14} />}
          onClick={() => field.current?.focus()}
        >
          <Pill.Group gap={4}>
            {chips.map((chip) => (
              <ChosenFilter
                key={`${chip.kind} ${chip.text}`}
                chip={chip}
                onRemove={() => onChange(chip.without)}
              />
            ))}
            <Combobox.EventsTarget>
              <Field
                ref={field}
                isOpen={isOpen}
                aria-label={t.search}
                aria-autocomplete="list"
                placeholder={chips.length === 0 ? t.search : t.searchMore}
                value={text}
                spellCheck={false}
                onChange={(event) => {
                  setText(event.currentTarget.value)
                  combobox.resetSelectedOption()
                  combobox.openDropdown()
                }}
                onBlur={() => combobox.closeDropdown()}
                onKeyDown={handleKeyDown}
              />
            </Combobox.EventsTarget>
          </Pill.Group>
        </PillsInput>
      </Combobox.DropdownTarget>
      <Combobox.Dropdown hidden={!isOpen}>
        <Combobox.Options aria-label={t.suggestions}>
          {options.map(({ each, name }) => (
            <Combobox.Option key={name} value={name}>
              <OfferedSuggestion suggestion={each} />
            </Combobox.Option>
          ))}
        </Combobox.Options>
        {as && <div className={styles.note}>{t.limited(markText(as.name))}</div>}
      </Combobox.Dropdown>
      <span className="visually-hidden" role="status">
        {isOpen && input !== '' && !isQuery(input) && t.offered(options.length)}
      </span>
    </Combobox>
  )
}

type FieldProps = Omit<ComponentProps<typeof PillsInput.Field>, 'type'> & { readonly isOpen: boolean }

/** Announces whether there are suggestions, because Mantine reports an empty list as expanded. */
function Field({ isOpen, ...props }: FieldProps) {
  return <PillsInput.Field {...props} role="combobox" aria-expanded={isOpen} />
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

function ChosenFilter({ chip, onRemove }: { chip: FilterChip; onRemove: () => void }) {
  const text = chip.kind === 'type' ? getTypeName(chip.text) : chip.text
  return (
    <span className={styles.chip}>
      <Icon name={chip.kind === 'type' ? getTypeIcon(chip.text) : icons[chip.kind]} size={12} />
      <span className={styles.kind}>{t.kinds[chip.kind]}</span>
      <span className="clip" title={text}>
        <MarkedText text={text} />
      </span>
      <button
        type="button"
        className={styles.remove}
        aria-label={t.remove(`${t.kinds[chip.kind]} ${text}`)}
        onClick={(event) => {
          event.stopPropagation()
          onRemove()
        }}
      >
        <Icon name="close" size={10} />
      </button>
    </span>
  )
}

function OfferedSuggestion({ suggestion }: { suggestion: Suggestion }) {
  const { kind } = suggestion
  return (
    <span className={styles.option}>
      <span className={styles.kind}>{kind === 'id' ? t.kinds.token : t.kinds[kind]}</span>
      <MarkedSpan className="clip" text={formatSuggestion(suggestion)} />
    </span>
  )
}

function formatSuggestion(suggestion: Suggestion): string {
  if (suggestion.kind === 'type') return getTypeName(suggestion.value)
  if (suggestion.kind !== 'metadata') return suggestion.value
  const { key, value } = suggestion
  return value === undefined ? t.anyValue(key) : `${key}: ${value}`
}
