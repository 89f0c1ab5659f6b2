import { Button } from '@mantine/core'
import { includesContainer } from '../../../../shared/containers.ts'
import type { Permission } from '../../../../shared/permissions.ts'
import { useLoaded } from '../../../parts/connection/use-loaded.tsx'
import { vault } from '../../../parts/connection/vault.ts'
import { DataCell } from '../../../parts/tokens/data-cell.tsx'
import { getTypeIcon, getTypeName } from '../../../parts/tokens/token-types.ts'
import { Chip } from '../../../ui/chip.tsx'
import { Icon } from '../../../ui/icon.tsx'
import type { Cell } from './access-matrix.tsx'
import { nameAction } from './actions.ts'
import { type GrantsDraft, toRules } from './grants.ts'
import styles from './rules.module.css'
import { strings } from './strings.ts'

const t = strings.examples
type PreviewTokens = Awaited<ReturnType<typeof vault.access.preview>>
/** While others load, the former tokens stay, and so does what their heading says. */
type LoadedTokens = { readonly permission: Permission; readonly tokens: PreviewTokens }
const PREVIEW_DELAY_MS = 150

type Props = {
  readonly draft: GrantsDraft
  readonly selected: Cell | null
  readonly onSelect: (cell: Cell | null) => void
}

/** Shows how an application with these grants would see one token of each type, in the selected cell or everywhere. */
export function Examples({ draft, selected, onSelect }: Props) {
  const permission = selected?.permission ?? (draft.type === 'public' ? 'token:create' : 'token:read')
  const input = JSON.stringify({
    type: draft.type,
    permissions: draft.permissions,
    rules: toRules(draft.rules),
    permission,
  })
  const loadTokens = async () => ({ permission, tokens: await vault.access.preview(JSON.parse(input)) })
  const { value, problem } = useLoaded<LoadedTokens>(loadTokens, {
    about: input,
    stays: true,
    wait_ms: PREVIEW_DELAY_MS,
  })
  // The matrix shows the error, which is the same.
  if (problem !== null || value === null) return null
  const tokens = value.tokens.filter(
    ({ containers }) =>
      !selected || containers.some((container) => includesContainer(selected.container, container)),
  )
  return (
    <section className={styles.examples} aria-label={t.title}>
      <div className={styles.head}>
        <h2 title={t.help}>{t.title}</h2>
        <span className="faint clip">{t.of(nameAction(value.permission), selected?.container ?? null)}</span>
        {selected && (
          <Button variant="subtle" color="gray" size="compact-xs" onClick={() => onSelect(null)}>
            {t.all}
          </Button>
        )}
      </div>
      {tokens.length === 0 && <span className="faint">{t.none}</span>}
      <ul className={tokens.length === 0 ? undefined : styles.exampleList}>
        {tokens.map((token) => (
          <li
            key={token.id}
            className={
              token.transform === null ? `${styles.example} ${styles.exampleRefused}` : styles.example
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
              <ExampleValue token={token} />
            </span>
            <ExampleOutcome token={token} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function ExampleValue({ token }: { token: PreviewTokens[number] }) {
  if (token.transform === null) return null
  if (token.transform === 'redact') return <span className="faint">{t.leftOut}</span>
  return <DataCell token={token} />
}

function ExampleOutcome({ token: { transform, rule } }: { token: PreviewTokens[number] }) {
  if (transform === null) return <Chip tone="red">{t.refused}</Chip>
  const by = rule === null ? t.byPermission : t.by(rule)
  return (
    <span className={styles.decision}>
      {transform === 'reveal' && <Chip tone="amber">{t.plaintext}</Chip>}
      <span className="faint">{by}</span>
    </span>
  )
}
