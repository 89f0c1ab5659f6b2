import { Fragment } from 'react'
import type { Json, JsonObject } from '../../../../shared/json.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import { MarkedText } from '../../../ui/text/marked-text.tsx'
import { strings } from '../strings.ts'
import styles from '../tokens.module.css'
import { toMembers } from './edit-draft.ts'
import { listChanges } from './merge-patch.ts'

const t = strings.edit

function formatValue(value: Json | undefined): string {
  if (value === undefined) return t.none
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The changes of a merge patch, one line per member. */
export function Difference({ token, patch }: { token: Token; patch: JsonObject }) {
  const changes = listChanges(toMembers(token), patch)
  return (
    <section className={styles.becomes}>
      <h2>{t.difference}</h2>
      {changes.length === 0 && <span className="faint">{t.nothing}</span>}
      <dl className={styles.diff}>
        {changes.map(({ path, before, after }) => (
          <Fragment key={path}>
            <dt className={styles.diffName}>
              <MarkedText text={path} />
            </dt>
            <dd>
              <del>
                <MarkedText
                  text={path.startsWith('data') && before === undefined ? t.hidden : formatValue(before)}
                />
              </del>
              <ins>
                <MarkedText text={formatValue(after)} />
              </ins>
            </dd>
          </Fragment>
        ))}
      </dl>
    </section>
  )
}
