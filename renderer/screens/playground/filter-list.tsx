import { TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import type { Json } from '../../../shared/json.ts'
import { useSearchKeys } from '../../parts/navigation/search-keys.ts'
import { Icon } from '../../ui/icon.tsx'
import styles from './playground.module.css'
import { type FilterExample, replaceTexts, toInputText, usePlayground } from './playground-store.ts'
import { strings as t } from './strings.ts'

type FilterGroup = { readonly filter: string; readonly examples: readonly FilterExample[] }

function groupFilters(filters: readonly FilterExample[], query: string): Map<string, FilterGroup[]> {
  const term = query.trim().toLowerCase()
  const matches = filters.filter(
    ({ filter, description }) =>
      filter.includes(term) || (term.length > 2 && description.toLowerCase().includes(term)),
  )
  const groups = [...Map.groupBy(matches, ({ filter }) => filter)].map(([filter, examples]) => ({
    filter,
    examples,
  }))
  return Map.groupBy(groups, ({ examples }) => examples[0]?.kind ?? '')
}

function shortenValue(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 90 ? `${text.slice(0, 90)}…` : text
}

/** Every filter: its arguments, its effect, and examples to try. */
export function FilterList() {
  const search = useRef<HTMLInputElement>(null)
  const { filters } = usePlayground()
  const [query, setQuery] = useState('')
  useSearchKeys(search, setQuery)
  const kinds = groupFilters(filters, query)
  return (
    <section className={styles.filterDocs} aria-label={t.filters}>
      <div className={styles.filterDocsHead}>
        <TextInput
          ref={search}
          type="search"
          aria-label={t.find}
          placeholder={t.find}
          leftSection={<Icon name="search" size={14} />}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        />
      </div>
      {filters.length > 0 && kinds.size === 0 && <p className="faint">{t.noFilter}</p>}
      {[...kinds].map(([kind, groups]) => (
        <div key={kind}>
          <h2>{Object.entries(t.kinds).find(([name]) => name === kind)?.[1] ?? kind}</h2>
          {groups.map((group) => (
            <Filter key={group.filter} group={group} />
          ))}
        </div>
      ))}
    </section>
  )
}

function Filter({ group: { examples } }: { group: FilterGroup }) {
  const [first] = examples
  if (!first) return null
  return (
    <article className={styles.filterDoc}>
      <h3 className="mono">{first.signature}</h3>
      <p>{first.description}</p>
      <ul>
        {examples.map((example) => (
          <li key={`${example.expression} ${JSON.stringify(example.data)}`}>
            <button
              type="button"
              className={`unstyled ${styles.filterExample}`}
              title={t.try}
              onClick={() =>
                replaceTexts({ template: example.expression, data: toInputText(example.data) }, t.replaced)
              }
            >
              <span className="mono">{example.expression}</span>
              <span className="mono faint clip">{shortenValue(example.data)}</span>
              <span className={`mono ${styles.filterGives}`}>
                <span className="visually-hidden">{t.gives}</span>{' '}
                {example.random ? <em>{t.random}</em> : shortenValue(example.result)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </article>
  )
}
