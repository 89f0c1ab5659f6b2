import { Group, Switch } from '@mantine/core'
import { useState } from 'react'
import { useActorName } from '../../parts/access/application-names.ts'
import { LoadedView, useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { type ComparedFact, compareRecords } from './compare-records.ts'
import styles from './requests.module.css'
import { strings } from './strings.ts'

const t = strings.compare

type Props = { readonly ids: readonly string[]; readonly onClose: () => void }

/** Two records side by side, with their differences marked. */
export function CompareDialog({ ids, onClose }: Props) {
  const [onlyDifferent, setOnlyDifferent] = useState(true)
  const actor = useActorName()
  const loaded = useLoaded(() => Promise.all(ids.map((id) => vault.logs.get({ id }))), { about: ids.join() })
  return (
    <Dialog title={t.title} onClose={onClose} size="min(1200px, 94vw)">
      <LoadedView of={loaded} lines={8}>
        {([one, other]) => {
          if (!one || !other) return null
          const facts = compareRecords(one, other)
          const shown = onlyDifferent ? facts.filter(({ isDifferent }) => isDifferent) : facts
          return (
            <>
              <Group justify="space-between" mb="sm">
                <span role="status">{t.count(facts.filter(({ isDifferent }) => isDifferent).length)}</span>
                <Switch
                  label={t.onlyDifferent}
                  checked={onlyDifferent}
                  onChange={(event) => setOnlyDifferent(event.currentTarget.checked)}
                />
              </Group>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it */}
              <section className={styles.compare} aria-label={t.title} tabIndex={0}>
                <table>
                  <thead>
                    <tr>
                      <th scope="col">{t.fact}</th>
                      {[one, other].map((record) => (
                        <th key={record.id} scope="col">
                          {record.status} {record.method ?? ''} {record.path ?? record.action},{' '}
                          <MarkedText text={actor(record.actor_id, record.actor_type ?? 'unknown')} />
                        </th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>
                    {shown.map((fact) => (
                      <Fact key={fact.name} fact={fact} />
                    ))}
                  </tbody>
                </table>
              </section>
            </>
          )
        }}
      </LoadedView>
    </Dialog>
  )
}

function Fact({ fact: { name, values, isDifferent } }: { fact: ComparedFact }) {
  return (
    <tr data-different={isDifferent || undefined}>
      <th scope="row">
        {isDifferent && <span aria-hidden="true">≠ </span>}
        <MarkedText text={name} />
        {isDifferent && <span className="visually-hidden"> {t.differs}</span>}
      </th>
      {values.map((value, at) => (
        <td key={at === 0 ? 'one' : 'other'} className={value === undefined ? 'faint' : 'mono'}>
          {value === undefined ? t.absent : <MarkedText text={value} />}
        </td>
      ))}
    </tr>
  )
}
