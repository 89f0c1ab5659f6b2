import { Button, Menu } from '@mantine/core'
import type { TokenSort } from '../../../../shared/find.ts'
import { useViewAs } from '../../../parts/access/view-as.ts'
import { FilterHelp } from '../../../parts/filters/filter-bar.tsx'
import { SavedFilters } from '../../../parts/filters/saved-filters.tsx'
import { getTypeIcon, getTypeName, typeNames } from '../../../parts/tokens/token-types.ts'
import { Icon } from '../../../ui/icon.tsx'
import screenStyles from '../../../ui/screen.module.css'
import { strings } from '../strings.ts'
import { ContainerMenu } from './container-menu.tsx'
import { FilterSearch } from './filter-search.tsx'
import { type Filters, formatSortParameter, isFiltered, withFilter } from './token-filters.ts'

const t = strings.filters

type Props = {
  readonly filters: Filters
  /** The order of the list, which is saved with a search. */
  readonly sort: TokenSort
  readonly onChange: (filters: Filters) => void
  /** Moves the focus from the search to the rows. */
  readonly onLeave: () => void
}

export function FilterBar({ filters, sort, onChange, onLeave }: Props) {
  const { container, type } = filters
  const { as } = useViewAs()
  const isLimited = as !== null
  return (
    <search className={screenStyles.filters} aria-label={t.label}>
      <ContainerMenu
        value={container}
        onPick={(scope) => onChange(withFilter(filters, 'container', scope, isLimited))}
      />
      <TypeMenu value={type} onPick={(picked) => onChange(withFilter(filters, 'type', picked, isLimited))} />
      <FilterSearch filters={filters} onChange={onChange} onLeave={onLeave} />
      {isFiltered(filters) && (
        <Button variant="subtle" color="gray" onClick={() => onChange({})}>
          {t.clear}
        </Button>
      )}
      {!as && (
        <SavedFilters
          screen="tokens"
          query={{ ...filters, sort: formatSortParameter(sort) }}
          isFiltered={isFiltered(filters)}
        />
      )}
      <FilterHelp lines={t.helpLines} />
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
          leftSection={<Icon name={value === undefined ? 'token' : getTypeIcon(value)} size={14} />}
          rightSection={<Icon name="down" size={12} />}
        >
          {t.type}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onPick(undefined)}>{t.allTypes}</Menu.Item>
        <Menu.Divider />
        {typeNames.map((type) => (
          <Menu.Item
            key={type}
            leftSection={<Icon name={getTypeIcon(type)} size={14} />}
            onClick={() => onPick(type)}
          >
            {getTypeName(type)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
