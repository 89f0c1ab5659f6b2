import { ActionIcon, Button, Popover, Stack } from '@mantine/core'
import { type ReactNode, useRef } from 'react'
import type { Condition, Filter } from '../../../shared/conditions.ts'
import { isFiltered, withConditions } from '../../../shared/conditions.ts'
import { FilterField, useFilterText } from '../../ui/fields/filter-field.tsx'
import { Icon } from '../../ui/icon.tsx'
import screenStyles from '../../ui/screen.module.css'
import { useRoute } from '../navigation/route.ts'
import { useSearchKeys } from '../navigation/search-keys.ts'
import { type FilterFieldOf, isUnfinished, nameValue, readTyped, suggestFilters } from './filter-fields.ts'
import { SavedFilters } from './saved-filters.tsx'
import { strings as t } from './strings.ts'

type Props<Field extends string> = {
  /** What the words of the filter are searched in, as the label of the field. */
  readonly label: string
  readonly fields: readonly FilterFieldOf<Field>[]
  readonly filter: Filter<Field>
  readonly onFilter: (filter: Filter<Field>) => void
  /** Moves the focus from the field to the rows. */
  readonly onLeave: () => void
  /** What limits the filters; then no filter can be turned into its opposite. */
  readonly limit?: string | null
  /** The query with which the filter is saved; without it, the filter cannot be saved. */
  readonly savedQuery?: Readonly<Record<string, string | undefined>> | undefined
  /** Choices before the field, and after it. */
  readonly before?: ReactNode
  readonly children?: ReactNode
}

/** The filters of a list, as chips that are typed or chosen. */
export function FilterBar<Field extends string>(props: Props<Field>) {
  const { label, fields, filter, onFilter, onLeave, limit = null, savedQuery, before, children } = props
  const { screen } = useRoute()
  const { conditions, words } = filter
  const field = useRef<HTMLInputElement>(null)
  const typing = useFilterText({
    applied: words,
    onApply(text, isFinal) {
      if (!isFinal && isUnfinished(text, fields)) return text
      const typed = readTyped(text, fields)
      const isSame = typed.conditions.length === 0 && typed.words === words
      if (!isSame) onFilter({ ...withConditions(filter, typed.conditions), words: typed.words })
      return typed.words
    },
  })
  const { input, combobox } = typing
  useSearchKeys(field, typing.setText)
  const options = combobox.dropdownOpened ? suggestFilters(input, fields, filter, onFilter) : []
  const replaceCondition = (old: Condition<Field>, by: readonly Condition<Field>[]) =>
    onFilter({ ...filter, conditions: conditions.flatMap((each) => (each === old ? by : [each])) })
  const chips = conditions.map((condition) => {
    const { field: name, not, ...rest } = condition
    const { icon = 'info', label: kind = name } = fields.find((each) => each.field === name) ?? {}
    return {
      icon,
      kind,
      text: nameValue(fields, condition),
      isNot: not === true,
      onRemove: () => replaceCondition(condition, []),
      ...(limit === null && {
        onToggle: () =>
          replaceCondition(condition, [{ field: name, ...rest, ...(!not && { not: true as const }) }]),
      }),
    }
  })
  return (
    <search className={screenStyles.filters} aria-label={t.label}>
      {before}
      <FilterField
        typing={typing}
        label={label}
        chips={chips}
        options={options}
        note={limit}
        field={field}
        onLeave={onLeave}
      />
      {isFiltered(filter) && (
        <Button variant="subtle" color="gray" onClick={() => onFilter({ conditions: [], words: '' })}>
          {t.clear}
        </Button>
      )}
      {savedQuery && <SavedFilters screen={screen} query={savedQuery} isFiltered={isFiltered(filter)} />}
      {children}
      <FilterHelp lines={t.helpLines} />
    </search>
  )
}

/** Explains the filters of a list. */
export function FilterHelp({ lines }: { lines: readonly string[] }) {
  return (
    <Popover width={340} position="bottom-end">
      <Popover.Target>
        <ActionIcon aria-label={t.help}>
          <Icon name="info" />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={t.help}>
        <Stack component="ul" gap={6} className="bullets">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
