import { SegmentedControl } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { Permission } from '../../../shared/permissions.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { fieldErrorsOf } from '../../parts/messages/sentence.ts'
import { DataCell } from '../../parts/tokens/data-cell.tsx'
import { iconOf, nameOf } from '../../parts/tokens/token-types.ts'
import { Chip } from '../../ui/chip.tsx'
import { Icon } from '../../ui/icon.tsx'
import { type GrantsDraft, rulesOfDraft } from './grants.ts'
import { strings } from './strings.ts'

const t = strings.editor
type Seen = Awaited<ReturnType<typeof vault.access.preview>>
type Action = keyof typeof t.actions
const actions = Object.keys(t.actions) as Action[]
const WAIT_MS = 150

type Props = {
  readonly draft: GrantsDraft
  /** Called with the problems of the edited grants, by member. */
  readonly onErrors: (errors: Readonly<Record<string, string>>) => void
}

/** Shows how an application with these grants would see a token of each kind. */
export function GrantsPreview({ draft, onErrors }: Props) {
  const [asked, setAsked] = useState<Permission>(draft.type === 'public' ? 'token:create' : 'token:read')
  const input = JSON.stringify({
    type: draft.type,
    permissions: draft.permissions,
    rules: rulesOfDraft(draft.rules),
    permission: asked,
  })
  const { value, problem } = useLoaded<Seen>(() => vault.access.preview(JSON.parse(input)), {
    about: input,
    stays: true,
    wait_ms: WAIT_MS,
  })
  const seen = value ?? []
  useEffect(() => onErrors(fieldErrorsOf(problem)), [problem, onErrors])
  if (draft.type === 'management') return null
  return (
    <section className="preview" aria-label={t.preview}>
      <div className="preview-head">
        <h2 title={t.previewHelp}>{t.preview}</h2>
        <span className="faint">{t.asked}</span>
        <SegmentedControl
          aria-label={t.asked}
          data={actions.map((value) => ({ value, label: t.actions[value] }))}
          value={actions.find((each) => each === asked) ?? 'token:read'}
          onChange={setAsked}
        />
      </div>
      <Problem of={problem} />
      {problem === null && seen.length === 0 && <span className="faint">{t.noTokens}</span>}
      {problem === null && (
        <ul className="preview-list">
          {seen.map((token) => (
            <li
              key={token.id}
              className={token.transform === null ? 'preview-line preview-refused' : 'preview-line'}
            >
              <Icon name={iconOf(token.type)} size={14} />
              <span className="clip" title={token.containers.join(', ')}>
                <span className="mono">{token.containers[0]}</span>{' '}
                {token.containers.length > 1 && (
                  <span className="faint">{t.otherContainers(token.containers.length - 1)} </span>
                )}
                <span className="faint">{nameOf(token.type)}</span>
              </span>
              <span className="clip">
                <Shown token={token} />
              </span>
              <Outcome token={token} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Shown({ token }: { token: Seen[number] }) {
  if (token.transform === null) return null
  if (token.transform === 'redact') return <span className="faint">{t.leftOut}</span>
  return <DataCell token={token} />
}

function Outcome({ token: { transform, rule } }: { token: Seen[number] }) {
  if (transform === null) return <Chip tone="red">{t.refused}</Chip>
  const by = rule === null ? t.byPermission : t.by(rule)
  return (
    <span className="preview-outcome">
      {transform === 'reveal' && <Chip tone="amber">{t.plaintext}</Chip>}
      <span className="faint">{by}</span>
    </span>
  )
}
