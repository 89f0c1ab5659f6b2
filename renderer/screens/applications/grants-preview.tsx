import { SegmentedControl } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { Permission } from '../../../shared/permissions.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { getFieldErrors } from '../../parts/messages/describe-error.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { DataCell } from '../../parts/tokens/data-cell.tsx'
import { getTypeIcon, getTypeName } from '../../parts/tokens/token-types.ts'
import { Chip } from '../../ui/chip.tsx'
import { Icon } from '../../ui/icon.tsx'
import styles from './applications.module.css'
import { type GrantsDraft, toRules } from './grants.ts'
import { strings } from './strings.ts'

const t = strings.editor
type PreviewTokens = Awaited<ReturnType<typeof vault.access.preview>>
type PreviewAction = keyof typeof t.actions
const actions = Object.keys(t.actions) as PreviewAction[]
const PREVIEW_DELAY_MS = 150

type Props = {
  readonly draft: GrantsDraft
  /** Receives the errors of the edited grants, by field path. */
  readonly onErrors: (errors: Readonly<Record<string, string>>) => void
}

/** Shows how an application with these grants would see one token of each type. */
export function GrantsPreview({ draft, onErrors }: Props) {
  const [permission, setPermission] = useState<Permission>(
    draft.type === 'public' ? 'token:create' : 'token:read',
  )
  const input = JSON.stringify({
    type: draft.type,
    permissions: draft.permissions,
    rules: toRules(draft.rules),
    permission: permission,
  })
  const { value, problem } = useLoaded<PreviewTokens>(() => vault.access.preview(JSON.parse(input)), {
    about: input,
    stays: true,
    wait_ms: PREVIEW_DELAY_MS,
  })
  const tokens = value ?? []
  useEffect(() => onErrors(getFieldErrors(problem)), [problem, onErrors])
  if (draft.type === 'management') return null
  return (
    <section className={styles.preview} aria-label={t.preview}>
      <div className={styles.previewHead}>
        <h2 title={t.previewHelp}>{t.preview}</h2>
        <span className="faint">{t.asked}</span>
        <SegmentedControl
          aria-label={t.asked}
          data={actions.map((value) => ({ value, label: t.actions[value] }))}
          value={actions.find((each) => each === permission) ?? 'token:read'}
          onChange={setPermission}
        />
      </div>
      <Problem of={problem} />
      {problem === null && tokens.length === 0 && <span className="faint">{t.noTokens}</span>}
      {problem === null && (
        <ul className={styles.previewList}>
          {tokens.map((token) => (
            <li
              key={token.id}
              className={
                token.transform === null
                  ? `${styles.previewLine} ${styles.previewRefused}`
                  : styles.previewLine
              }
            >
              <Icon name={getTypeIcon(token.type)} size={14} />
              <span className="clip" title={token.containers.join(', ')}>
                <span className="mono">{token.containers[0]}</span>{' '}
                {token.containers.length > 1 && (
                  <span className="faint">{t.otherContainers(token.containers.length - 1)} </span>
                )}
                <span className="faint">{getTypeName(token.type)}</span>
              </span>
              <span className="clip">
                <PreviewValue token={token} />
              </span>
              <PreviewOutcome token={token} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function PreviewValue({ token }: { token: PreviewTokens[number] }) {
  if (token.transform === null) return null
  if (token.transform === 'redact') return <span className="faint">{t.leftOut}</span>
  return <DataCell token={token} />
}

function PreviewOutcome({ token: { transform, rule } }: { token: PreviewTokens[number] }) {
  if (transform === null) return <Chip tone="red">{t.refused}</Chip>
  const by = rule === null ? t.byPermission : t.by(rule)
  return (
    <span className={styles.previewOutcome}>
      {transform === 'reveal' && <Chip tone="amber">{t.plaintext}</Chip>}
      <span className="faint">{by}</span>
    </span>
  )
}
