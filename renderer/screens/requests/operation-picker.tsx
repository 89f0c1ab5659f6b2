import { Combobox, InputBase, useCombobox } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { ApiOperation } from '../../parts/api/api-document.ts'
import { findAddresses } from './address.ts'
import { findOperations } from './find-operation.ts'
import type { Address } from './import-curl.ts'
import styles from './requests.module.css'
import { strings } from './strings.ts'

const t = strings.build
const MAX_ADDRESSES = 3

type Props = {
  readonly operations: readonly ApiOperation[]
  readonly value: ApiOperation
  /** The path of the request, as it will be sent. */
  readonly address: string
  readonly onPick: (id: string, params: Address['params'] | null) => void
  /** Called with a pasted curl command. */
  readonly onCurl: (line: string) => void
}

/** Picks an operation by typing its name, or an address with its parameters. Enter takes the first result. */
export function OperationPicker({ operations, value, address, onPick, onCurl }: Props) {
  /** Null until the user types. */
  const [query, setQuery] = useState<string | null>(null)
  const box = useCombobox({
    onDropdownClose: () => {
      box.resetSelectedOption()
      setQuery(null)
    },
  })
  const addresses = findAddresses(operations, query ?? '').slice(0, MAX_ADDRESSES)
  const matches = findOperations(operations, query ?? '')
  // Preselects the first result, so that Enter picks it.
  const { selectFirstOption } = box
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again for each list of results
  useEffect(() => {
    if (query !== null) selectFirstOption()
  }, [query])
  const groups = [...Map.groupBy(matches, ({ tag }) => tag)]
  const submitOption = (option: string) => {
    const typed = addresses[Number(/^typed (\d)$/.exec(option)?.[1])]
    box.closeDropdown()
    if (typed) onPick(typed.operation.id, typed.params)
    else onPick(option, null)
  }
  return (
    <Combobox store={box} onOptionSubmit={submitOption}>
      <Combobox.Target withExpandedAttribute>
        <InputBase
          role="combobox"
          size="xs"
          aria-label={`${t.operation}, ${value.method}`}
          className={styles.address}
          classNames={{ input: 'mono' }}
          {...(query === null && { leftSection: <Verb method={value.method} />, leftSectionWidth: 66 })}
          rightSection={<Combobox.Chevron />}
          rightSectionPointerEvents="none"
          autoComplete="off"
          spellCheck={false}
          value={query ?? address}
          onFocus={(event) => event.currentTarget.select()}
          onClick={() => box.openDropdown()}
          onBlur={() => box.closeDropdown()}
          onPaste={(event) => {
            const text = event.clipboardData.getData('text/plain')
            if (!/^\s*curl\s/.test(text)) return
            event.preventDefault()
            onCurl(text)
          }}
          onChange={(event) => {
            setQuery(event.currentTarget.value)
            box.openDropdown()
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options mah={420} className={styles.pickOptions} aria-label={t.hits}>
          {addresses.length > 0 && (
            <Combobox.Group label={t.typed}>
              {addresses.map(({ operation, params }, index) => (
                <Combobox.Option key={operation.id} value={`typed ${index}`}>
                  <OperationLine operation={operation} />{' '}
                  <span className="mono faint">
                    {Object.entries(params)
                      .map((pair) => pair.join('='))
                      .join(', ')}
                  </span>
                </Combobox.Option>
              ))}
            </Combobox.Group>
          )}
          {groups.map(([tag, all]) => (
            <Combobox.Group key={tag} label={tag}>
              {all.map((operation) => (
                <Combobox.Option key={operation.id} value={operation.id} active={operation.id === value.id}>
                  <OperationLine operation={operation} /> <span className="faint">{operation.summary}</span>
                </Combobox.Option>
              ))}
            </Combobox.Group>
          ))}
          {matches.length + addresses.length === 0 && <Combobox.Empty>{t.noOperation}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}

function OperationLine({ operation: { method, path } }: { readonly operation: ApiOperation }) {
  return (
    <>
      <Verb method={method} /> <span className="mono">{path}</span>
    </>
  )
}

export function Verb({ method }: { readonly method: string }) {
  return (
    <span className={`${styles.verb} ${styles.method}`} data-method={method}>
      {method}
    </span>
  )
}
