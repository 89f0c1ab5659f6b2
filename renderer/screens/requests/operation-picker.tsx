import { Combobox, InputBase, useCombobox } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { ApiOperation } from '../../parts/api/api-document.ts'
import { findOperations } from './find-operation.ts'
import styles from './requests.module.css'
import { strings } from './strings.ts'

const t = strings.build

type Props = {
  readonly operations: readonly ApiOperation[]
  readonly value: ApiOperation
  readonly onPick: (id: string) => void
}

/** Picks an operation by typing: the query replaces the name, and Enter selects the first result. */
export function OperationPicker({ operations, value, onPick }: Props) {
  /** Null until the user types. */
  const [query, setQuery] = useState<string | null>(null)
  const box = useCombobox({
    onDropdownClose: () => {
      box.resetSelectedOption()
      setQuery(null)
    },
  })
  const matches = findOperations(operations, query ?? '')
  // Preselects the first result, so that Enter picks it.
  const { selectFirstOption } = box
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again for each list of results
  useEffect(() => {
    if (query !== null) selectFirstOption()
  }, [query])
  const groups = [...Map.groupBy(matches, ({ tag }) => tag)]
  const selectedLabel = `${value.method} ${value.path}`
  return (
    <Combobox
      store={box}
      onOptionSubmit={(id) => {
        box.closeDropdown()
        onPick(id)
      }}
    >
      <Combobox.Target withExpandedAttribute>
        <InputBase
          role="combobox"
          label={t.operation}
          description={`${value.summary}. ${value.description}${value.deprecated ? ` (${t.deprecated})` : ''}`}
          classNames={{ input: 'mono' }}
          rightSection={<Combobox.Chevron />}
          rightSectionPointerEvents="none"
          autoComplete="off"
          spellCheck={false}
          value={query ?? selectedLabel}
          onFocus={(event) => event.currentTarget.select()}
          onClick={() => box.openDropdown()}
          onBlur={() => box.closeDropdown()}
          onChange={(event) => {
            setQuery(event.currentTarget.value)
            box.openDropdown()
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options mah={420} className={styles.pickOptions} aria-label={t.hits}>
          {groups.map(([tag, all]) => (
            <Combobox.Group key={tag} label={tag}>
              {all.map(({ id, method, path, summary }) => (
                <Combobox.Option key={id} value={id} active={id === value.id}>
                  <span className={`${styles.verb} ${styles.method}`} data-method={method}>
                    {method}
                  </span>{' '}
                  <span className="mono">{path}</span> <span className="faint">{summary}</span>
                </Combobox.Option>
              ))}
            </Combobox.Group>
          ))}
          {matches.length === 0 && <Combobox.Empty>{t.noOperation}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}
