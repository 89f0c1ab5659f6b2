import { ActionIcon, Autocomplete, Checkbox, Popover, Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../icon.tsx'
import { ActionButton } from '../icon-buttons.tsx'
import { strings } from '../strings.ts'
import gridStyles from './grid.module.css'
import type { Column, Sorting } from './grid-row.tsx'
import { type Layout, reorderColumns, toggleColumn } from './layout.ts'

const t = strings.columns

/** Columns that the user adds by typing a name. */
export type CustomColumns<Row> = {
  readonly label: string
  readonly suggestions: readonly string[]
  readonly toId: (name: string) => string
  /** Returns the custom column with this id; undefined for any other id. */
  readonly findColumn: (id: string) => Column<Row> | undefined
}

type Props<Row> = {
  readonly columns: readonly Column<Row>[]
  readonly visibleColumns: readonly Column<Row>[]
  readonly layout: Layout
  readonly onLayout: (layout: Layout | null) => void
  readonly customColumns?: CustomColumns<Row> | undefined
  readonly sorting?: Sorting | undefined
}

/** The menu for the list's order and columns. The list can also be sorted by a hidden column. */
export function ColumnMenu<Row>({
  columns,
  visibleColumns,
  layout,
  onLayout,
  customColumns,
  sorting,
}: Props<Row>) {
  const [opened, setOpened] = useState(false)
  const [name, setName] = useState('')
  const ids = visibleColumns.map(({ id }) => id)
  const hidden = columns.filter(({ id }) => !ids.includes(id))
  const label = sorting ? t.chooseWithOrder : t.choose
  const setColumns = (columns: readonly string[]) => onLayout({ ...layout, columns })
  const entered = name.trim()
  const addColumn = (columnName: string) => {
    if (!customColumns || columnName === '') return
    setColumns(toggleColumn(ids, customColumns.toId(columnName), true))
    setName('')
  }
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      width={320}
      // In low windows the menu is taller than the space below the button.
      middlewares={{ flip: true, shift: true, size: true }}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <ActionIcon
          className={gridStyles.columns}
          aria-label={label}
          title={label}
          size={24}
          color="gray"
          onClick={() => setOpened(!opened)}
        >
          <Icon name="sliders" size={14} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown className={gridStyles.columnMenu} aria-label={label}>
        {sorting && (
          <Radio.Group
            className={gridStyles.columnOrder}
            label={t.order}
            value={sorting.sort}
            onChange={sorting.onSort}
          >
            <Stack gap={12} mt={8}>
              {columns
                .flatMap(({ sorts = [] }) => sorts)
                .map(({ by, label }) => (
                  <Radio key={by} size="xs" value={by} label={label} />
                ))}
            </Stack>
          </Radio.Group>
        )}
        <ul className={gridStyles.columnList}>
          {[...visibleColumns, ...hidden].map(({ id, label }, at) => {
            const isVisible = at < ids.length
            return (
              <li key={id}>
                <Checkbox
                  flex={1}
                  size="xs"
                  label={label}
                  checked={isVisible}
                  disabled={isVisible && ids.length === 1}
                  onChange={() => setColumns(toggleColumn(ids, id, !isVisible))}
                />
                {isVisible &&
                  ([-1, 1] as const).map((by) => (
                    <ActionIcon
                      key={by}
                      aria-label={by < 0 ? t.earlier(label) : t.later(label)}
                      size={24}
                      color="gray"
                      disabled={ids[at + by] === undefined}
                      onClick={() => setColumns(reorderColumns(ids, id, at + by))}
                    >
                      <Icon name={by < 0 ? 'up' : 'down'} size={12} />
                    </ActionIcon>
                  ))}
              </li>
            )
          })}
        </ul>
        {customColumns && (
          <form
            className={gridStyles.columnAdd}
            onSubmit={(event) => {
              event.preventDefault()
              addColumn(entered)
            }}
          >
            <Autocomplete
              flex={1}
              aria-label={customColumns.label}
              placeholder={customColumns.label}
              data={customColumns.suggestions.filter((each) => !ids.includes(customColumns.toId(each)))}
              value={name}
              onChange={setName}
              onOptionSubmit={addColumn}
              maxLength={200}
            />
            <ActionButton label={t.add} type="submit" disabled={entered === ''} />
          </form>
        )}
        <p className={`faint ${gridStyles.columnHelp}`}>{t.help}</p>
        <ActionButton
          label={t.reset}
          size="compact-sm"
          disabled={layout.columns === undefined && layout.widths === undefined}
          onClick={() => onLayout(null)}
        />
      </Popover.Dropdown>
    </Popover>
  )
}
