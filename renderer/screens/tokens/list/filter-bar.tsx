import { ActionIcon, Button, Menu, Popover, TextInput } from '@mantine/core'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { iconOf, nameOf, typeNames } from '../../../parts/tokens/token-types.ts'
import { Icon } from '../../../ui/icon.tsx'
import { strings } from '../strings.ts'
import { ContainerMenu } from './container-menu.tsx'
import { FilterPopover } from './filter-popover.tsx'
import { type FilterName, type Filters, isFiltered, pairOf } from './token-filters.ts'

const t = strings.filters

type Props = {
  readonly filters: Filters
  readonly onFilter: (name: FilterName, value: string | undefined) => void
  readonly onClear: () => void
  readonly search: RefObject<HTMLInputElement | null>
}

/** The filters of the list. */
export function FilterBar({ filters, onFilter, onClear, search }: Props) {
  const { container, type, fingerprint, metadata, q } = filters
  const [key, value] = pairOf(metadata ?? '')
  return (
    <search className="filters" aria-label={t.label}>
      <ContainerMenu value={container} onPick={(scope) => onFilter('container', scope)} />
      <TypeMenu value={type} onPick={(picked) => onFilter('type', picked)} />
      <FilterPopover
        label={t.fingerprint}
        help={t.fingerprintHelp}
        fields={[{ name: 'fingerprint', label: t.fingerprint, value: fingerprint ?? '' }]}
        shown={fingerprint}
        onApply={(values) => onFilter('fingerprint', values.fingerprint?.trim())}
        onClear={() => onFilter('fingerprint', undefined)}
      />
      <FilterPopover
        label={t.metadata}
        help={t.metadataHelp}
        fields={[
          { name: 'key', label: t.metadataKey, value: key },
          { name: 'value', label: t.metadataValue, value },
        ]}
        shown={metadata}
        onApply={(values) => onFilter('metadata', `${values.key}=${values.value}`)}
        onClear={() => onFilter('metadata', undefined)}
      />
      <SearchField value={q ?? ''} onSearch={(text) => onFilter('q', text || undefined)} field={search} />
      <FilterHelp />
      {isFiltered(filters) && (
        <Button variant="subtle" color="gray" onClick={onClear}>
          {t.clear}
        </Button>
      )}
    </search>
  )
}

function TypeMenu({
  value,
  onPick,
}: {
  value: string | undefined
  onPick: (type: string | undefined) => void
}) {
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          variant={value === undefined ? 'default' : 'light'}
          leftSection={value !== undefined && <Icon name={iconOf(value)} size={14} />}
          rightSection={<Icon name="down" size={12} />}
        >
          {value === undefined ? t.type : nameOf(value)}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onPick(undefined)}>{t.allTypes}</Menu.Item>
        <Menu.Divider />
        {typeNames.map((type) => (
          <Menu.Item
            key={type}
            leftSection={<Icon name={iconOf(type)} size={14} />}
            onClick={() => onPick(type)}
          >
            {nameOf(type)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

const WAIT_MS = 250

type SearchProps = {
  readonly value: string
  readonly onSearch: (text: string) => void
  readonly field: RefObject<HTMLInputElement | null>
}

function SearchField({ value, onSearch, field }: SearchProps) {
  const [text, setText] = useState(value)
  const search = useRef(onSearch)
  search.current = onSearch
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text.trim() === value) return
    // Only once per input: an owner who keeps a form open must not be asked again whenever the rows change.
    const timer = setTimeout(() => search.current(text.trim()), WAIT_MS)
    return () => clearTimeout(timer)
  }, [text, value])
  return (
    <TextInput
      ref={field}
      className="filter-search"
      type="search"
      aria-label={t.search}
      placeholder={t.search}
      leftSection={<Icon name="search" size={14} />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onSearch(text.trim())
        if (event.key === 'Escape') event.currentTarget.blur()
      }}
      spellCheck={false}
    />
  )
}

function FilterHelp() {
  return (
    <Popover width={340} position="bottom-end">
      <Popover.Target>
        <ActionIcon aria-label={t.help}>
          <Icon name="info" />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={t.help}>
        <ul className="filter-help">
          {t.helpLines.map((line) => (
            <li key={line} className="filter-line">
              {line}
            </li>
          ))}
        </ul>
      </Popover.Dropdown>
    </Popover>
  )
}
