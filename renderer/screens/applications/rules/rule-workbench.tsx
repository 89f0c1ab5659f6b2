import { useState } from 'react'
import { AccessMatrix, type Cell } from './access-matrix.tsx'
import { Examples } from './examples.tsx'
import type { GrantsDraft } from './grants.ts'
import { LogVerdict } from './log-verdict.tsx'
import { RuleList } from './rule-list.tsx'
import styles from './rules.module.css'
import { strings } from './strings.ts'

type Props = {
  readonly draft: GrantsDraft
  /** The stored grants; null for a new application, whose rules follow from its other fields and are folded. */
  readonly before: GrantsDraft | null
  /** The application whose requests in the log are compared. */
  readonly application_id?: string
  readonly onChange: (draft: GrantsDraft, typed?: string) => void
}

/** Edits rules beside what they allow: a matrix that stays in view, examples, and the requests in the log. */
export function RuleWorkbench({ draft, before, application_id, onChange }: Props) {
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [selected, setSelected] = useState<Cell | null>(null)
  const list = <RuleList draft={draft} onChange={onChange} errors={errors} />
  if (draft.type === 'management') return list
  return (
    <div className={styles.root}>
      <div className={styles.bench}>
        <div className={styles.left}>
          {before === null ? (
            <details className="more">
              <summary>{strings.rules}</summary>
              {list}
            </details>
          ) : (
            list
          )}
          {application_id !== undefined && (
            <LogVerdict application_id={application_id} draft={draft} onPropose={onChange} />
          )}
        </div>
        <AccessMatrix {...{ draft, before, selected }} onSelect={setSelected} onErrors={setErrors} />
        <Examples draft={draft} selected={selected} onSelect={setSelected} />
      </div>
    </div>
  )
}
