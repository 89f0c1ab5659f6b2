import { Combobox, InputBase, useCombobox } from '@mantine/core'
import { useEffect } from 'react'
import type { ApiOperation } from '../../parts/api/api-document.ts'
import { type Address, matchOperations, readParams } from './import-curl.ts'
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
  /** What the user types; null once an operation is picked, or none was typed. */
  readonly query: string | null
  readonly onQuery: (query: string | null) => void
  /** Called with a pasted curl command. */
  readonly onCurl: (line: string) => void
}

/** Picks an operation by typing its name, or an address with its parameters. Enter takes the first result. */
export function OperationPicker(props: Props) {
  const { operations, value, address, query, onPick, onQuery, onCurl } = props
  const addresses = findAddresses(operations, query ?? '').slice(0, MAX_ADDRESSES)
  const matches = findOperations(operations, query ?? '')
  const isUnknown = query !== null && matches.length + addresses.length === 0
  const box = useCombobox({
    onDropdownClose: () => {
      box.resetSelectedOption()
      // What cannot be sent stays visible.
      if (!isUnknown) onQuery(null)
    },
  })
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
    onQuery(null)
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
          error={isUnknown}
          onFocus={(event) => event.currentTarget.select()}
          onClick={() => box.openDropdown()}
          onBlur={() => (addresses.length > 0 ? submitOption('typed 0') : box.closeDropdown())}
          onKeyDown={({ key }) => key === 'Escape' && onQuery(null)}
          onPaste={(event) => {
            const text = event.clipboardData.getData('text/plain')
            if (!/^\s*curl\s/.test(text)) return
            event.preventDefault()
            onCurl(text)
          }}
          onChange={(event) => {
            onQuery(event.currentTarget.value)
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
          {isUnknown && <Combobox.Empty>{t.noOperation}</Combobox.Empty>}
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

/**
 * The operations that a typed address may mean, with its parameters: `/tokens/abc`, `GET /v2/tokens?type=card`, or a
 * whole URL. Empty if the text is no address, or has no parameters.
 */
export function findAddresses(operations: readonly ApiOperation[], text: string): Address[] {
  const [, method, path, search = ''] =
    /^(?:(GET|POST|PUT|PATCH|DELETE)\s+)?(?:https?:\/\/[^/\s]+)?(\/[^\s?{}]*)(\?\S*)?$/i.exec(text.trim()) ??
    []
  if (path === undefined) return []
  return matchOperations(operations, method?.toUpperCase(), path).flatMap(({ operation, params: ids }) => {
    const params = { ...readParams(operation, new URLSearchParams(search)).params, ...ids }
    return Object.keys(params).length === 0 ? [] : [{ operation, params }]
  })
}

/**
 * Finds operations with every word of the query in method, path, name or summary. Groups them by tag, with
 * the best matches first.
 */
export function findOperations(operations: readonly ApiOperation[], query: string): ApiOperation[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return [...operations]
  const ranked = operations.flatMap((operation) => {
    const rank = rankOperation(operation, words)
    return rank === null ? [] : [{ operation, rank }]
  })
  ranked.sort((a, b) => a.rank - b.rank)
  // A group ranks as high as its best operation.
  return [...Map.groupBy(ranked, ({ operation }) => operation.tag).values()]
    .flat()
    .map(({ operation }) => operation)
}

/**
 * Ranks a match; lower is better. An exact match of path, id or summary ranks first, then the start of
 * path or summary, then words of the path, then any other match. Null if a word is missing.
 */
function rankOperation(
  { id, method, path, summary, deprecated }: ApiOperation,
  words: readonly string[],
): number | null {
  const line = `${method} ${path}`.toLowerCase()
  const all = `${line} ${id} ${summary}`.toLowerCase()
  if (!words.every((word) => all.includes(word))) return null
  const phrase = words.join(' ')
  const rest = deprecated ? 100 : 0
  if (line === phrase || path.toLowerCase() === phrase || id.toLowerCase() === phrase) return rest
  const title = summary.toLowerCase()
  if (title === phrase) return rest
  if (title.startsWith(phrase)) return rest + 1
  if (line.startsWith(phrase) || path.toLowerCase().startsWith(phrase)) return rest + 1 + path.length / 1000
  if (words.every((word) => line.includes(word))) return rest + 2 + path.length / 1000
  return rest + 3
}
